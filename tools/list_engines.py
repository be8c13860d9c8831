"""Lists how often the engine has something: window operators, timers, ways from a key to its group, clocks, and so on.

    python tools/list_engines.py                 # of the working tree
    python tools/list_engines.py 733b7db .       # before and after, as a table in Markdown; `.` is the working tree

It reads the source of a revision, never imports it. What counts as an implementation is in `FAMILIES`, so that both
columns are counted by the same rules; names are printed, so that whoever doubts a count can look.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
HERE = "."
"""Instead of a revision: the working tree."""
PACKAGE = "src/flott/"
SEEN_IN_C = re.compile(r"^(?:cdef class|cpdef [\w ]+?|def) (\w+)(?=[(:])", re.MULTILINE)
READS_CLOCK = frozenset({"time.time", "time.time_ns", "datetime.now"})


@dataclass(frozen=True, slots=True)
class Found:
    """A class or a function of a module, as far as rules ask for it."""

    path: str
    """Below the package."""
    name: str
    is_class: bool
    bases: tuple[str, ...] = ()
    calls: frozenset[str] = frozenset()
    """What it calls, as far as that has a name."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The source of one revision."""

    found: tuple[Found, ...]
    lines: int
    probes: int
    """Calls of `hasattr` and of `getattr` with a default: capabilities that are looked for and not declared."""

    def derives(self, one: Found, base: str) -> bool:
        """Returns whether a class has another among its bases, directly or not."""
        known = {other.name: other.bases for other in self.found if other.is_class}
        seen, waiting = set(), list(one.bases)
        while waiting:
            name = waiting.pop()
            if name == base:
                return True
            if name not in seen:
                seen.add(name)
                waiting += known.get(name, ())
        return False


@dataclass(frozen=True, slots=True)
class Family:
    """A job of the engine, and which classes or functions do it."""

    title: str
    target: str
    does: Callable[[Tree, Found], bool]


def is_window_operator(tree: Tree, one: Found) -> bool:
    """Operators that put rows into windows and fire them."""
    place = one.path.startswith("runtime/windowing/") or re.match(r"table/runtime/\w*(window|session)", one.path)
    windows = re.search("Window|Session", one.name) or one.name == "LocalAggregate"
    return bool(one.is_class and place and windows and tree.derives(one, "Operator"))


def is_group_aggregate(tree: Tree, one: Found) -> bool:
    """Operators that aggregate groups of rows without windows."""
    return bool(
        one.is_class and one.path.startswith("table/runtime/") and tree.derives(one, "Operator")
        and re.search("GroupAggregate|GroupColumns", one.name)
    )  # fmt: skip


def named(pattern: str, *places: str, is_class: bool | None = None) -> Callable[[Tree, Found], bool]:
    """Returns a rule by name, in some folders."""
    whole = re.compile(pattern)
    return lambda _, one: (
        whole.fullmatch(one.name) is not None
        and one.path.startswith(places or ("",))
        and is_class in {None, one.is_class}
    )


FAMILIES = (
    Family("window operators", "1 engine with 2 strategies", is_window_operator),
    Family("group aggregates of SQL", "1 saved form", is_group_aggregate),
    Family("timers", "1 service with 2 storages",
           named(r"TimerService|\w*(Timer|Moment)Queue", "runtime/", is_class=True)),
    Family("key to key group", "1 definition: scalar, batch, compiled",
           named(r"key_groups?(_of\w*)?|groups_of_numbers|GroupMemo|TargetMemo|Heads", "runtime/")),
    Family("classes that read the wall clock", "1", lambda _, one: one.is_class and bool(one.calls & READS_CLOCK)),
    Family("evaluators and classes of scalar expressions", "1 for each form",
           named("ArrowCompiler|row_function|spark_expression|fold_constants|Expression", "table/", "cep/")),
    Family("state classes with a time to live of their own", "0: a policy of the entry",
           named(r"Expiring\w+", is_class=True)),
    Family("state classes", "1 for each kind",
           named(r"\w*(Value|List|Map|Reducing|Aggregating)State", "runtime/state/", is_class=True)),
    Family("plans of a job", "1",
           named("JobGraph|EpochPlan|JobVertex|VertexSpec|JobEdge|EdgeSpec|ChainMember|ChainedOperator",
                 "graph/", "runtime/", is_class=True)),
)  # fmt: skip


def found_in(path: str, text: str) -> Iterator[Found]:
    """Goes over the classes and functions at the top of a module; of Cython, only by name."""
    if path.endswith(".pyx"):
        for match in SEEN_IN_C.finditer(text):
            yield Found(path, match[1], match[0].startswith("cdef class"))
        return
    for node in ast.parse(text, filename=path).body:
        if isinstance(node, ast.ClassDef):
            bases = tuple(ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases)
            yield Found(path, node.name, is_class=True, bases=bases, calls=calls_in(node))
        elif isinstance(node, ast.FunctionDef):
            yield Found(path, node.name, is_class=False, calls=calls_in(node))


def calls_in(tree: ast.AST) -> frozenset[str]:
    """Returns what is called inside, dotted."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return frozenset(ast.unparse(one) for one in calls if isinstance(one, ast.Name | ast.Attribute))


def probes_in(text: str) -> int:
    """Counts the places that look for an attribute which may be missing."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    named = [(call.func.id, call.args[2:]) for call in calls if isinstance(call.func, ast.Name)]
    return sum(name == "hasattr" or (name == "getattr" and bool(default)) for name, default in named)


def read(revision: str, root: Path = ROOT) -> Tree:
    """Reads the package at a revision."""
    found: list[Found] = []
    lines = probes = 0
    for path, text in sources(revision, root):
        lines += text.count("\n")
        found += found_in(path, text)
        probes += 0 if path.endswith(".pyx") else probes_in(text)
    return Tree(tuple(found), lines, probes)


def sources(revision: str, root: Path) -> Iterator[tuple[str, str]]:
    """Goes over the files of the package: the path below it, and the text."""
    if revision == HERE:
        for path in sorted((root / PACKAGE).rglob("*.py*")):
            if path.suffix in {".py", ".pyx"}:
                yield path.relative_to(root / PACKAGE).as_posix(), path.read_text(encoding="utf-8")
        return
    command = ["git", "-C", str(root), "archive", "--format=tar", revision, PACKAGE]
    packed = subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603 - a revision of this repository
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.name.endswith((".py", ".pyx")) else None
            if content is not None:
                yield member.name.removeprefix(PACKAGE), content.read().decode()


def members(family: Family, tree: Tree) -> list[str]:
    """Returns who does a job, by name, with the module where a name stands twice."""
    found = [one for one in tree.found if family.does(tree, one)]
    twice = {one.name for one in found if sum(other.name == one.name for other in found) > 1}
    return sorted(f"{one.name} ({one.path})" if one.name in twice else one.name for one in found)


def table(revisions: list[str], root: Path = ROOT) -> str:
    """Returns what there is at some revisions, side by side."""
    trees = [read(revision, root) for revision in revisions]
    names = ["working tree" if revision == HERE else revision for revision in revisions]
    rows = [["what", *names, "target"], ["---"] * (len(names) + 2)]
    for family in FAMILIES:
        told = [members(family, tree) for tree in trees]
        rows.append([family.title, *(f"{len(one)}: {', '.join(one)}" if one else "0" for one in told), family.target])
    rows.append(["`hasattr` and `getattr` with a default", *(str(tree.probes) for tree in trees), "Protocols"])
    rows.append(["lines of source", *(f"{tree.lines:,}" for tree in trees), "reported"])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    print(table(sys.argv[1:] or [HERE]))
