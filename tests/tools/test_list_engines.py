from __future__ import annotations

import subprocess

import pytest

from list_engines import FAMILIES, HERE, members, probes_in, read, table

WINDOWS = """
class WindowOperator(Base): ...
class WindowValue: ...
"""
SMALL = {
    "runtime/operator.py": "class Operator: ...\n",
    "runtime/operators/base.py": "class Base(operator.Operator): ...\n",
    "runtime/windowing/operator.py": WINDOWS,
    "runtime/native/_entries.pyx": "def key_groups(list keys):\n    pass\n\ncdef class Drafts:\n    pass\n",
    "runtime/column_keys.py": "def key_groups(keys): ...\n",
    "common/clock.py": "class Clock:\n    def now(self):\n        return time.time()\n",
}

PROBES_LEFT = 128
"""Lower it with every probe that goes; declare a capability where it belongs rather than raise it."""


@pytest.fixture
def package(tmp_path):
    """Write the small package; return the repository."""
    for name, text in SMALL.items():
        path = tmp_path / "src" / "flott" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def by_family(tree):
    return {family.title: members(family, tree) for family in FAMILIES}


def test_classes_are_found_by_what_they_derive_from_and_names_in_c_too(package):
    found = by_family(read(HERE, package))
    assert found["window operators"] == ["WindowOperator"]
    assert found["classes that read the wall clock"] == ["Clock"]
    assert found["key to key group"] == [
        "key_groups (runtime/column_keys.py)",
        "key_groups (runtime/native/_entries.pyx)",
    ]


def test_what_was_and_what_is_stand_side_by_side(package):
    def git(*arguments):
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        command = ["git", "-C", str(package), *who, *arguments]
        subprocess.run(command, check=True, capture_output=True)

    git("init", "--initial-branch=main")
    git("add", ".")
    git("commit", "--message=one")
    (package / "src/flott/runtime/windowing/operator.py").write_text(WINDOWS + "class SessionOperator(Base): ...\n")
    rows = table(["main", HERE], package).splitlines()
    assert rows[0] == "| what | main | working tree | target |"
    assert rows[2].startswith("| window operators | 1: WindowOperator | 2: SessionOperator, WindowOperator |")


def test_probes_are_those_that_allow_for_nothing():
    assert probes_in("hasattr(a, 'b'); getattr(a, 'b', None); getattr(a, 'b'); a.getattr(b, 'c', None)") == 2


def test_capabilities_are_declared_and_the_probes_that_are_left_become_fewer():
    assert read(HERE).probes <= PROBES_LEFT


def test_what_was_made_one_stays_one():
    found = by_family(read(HERE))
    assert found["timers"] == ["MomentQueue", "TimerQueue", "TimerService"]
    assert found["classes that read the wall clock"] == ["MachineClock"]
    assert found["state classes with a time to live of their own"] == []
    assert found["plans of a job"] == ["ChainedOperator", "EdgeSpec", "EpochPlan", "VertexSpec"]
    kinds = ["AggregatingState", "ListState", "MapState", "OperatorListState", "ReducingState", "ValueState"]
    assert found["state classes"] == kinds
