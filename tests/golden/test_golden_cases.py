"""State that commit 733b7db saved is restored by this version, and leads to the same results."""

from __future__ import annotations

import pytest
from tests.golden.write_cases import CASES, FOLDER

from flott.errors import TaskFailedError

pytestmark = pytest.mark.job


def test_each_case_was_saved():
    assert {path.stem for path in FOLDER.glob("*.zip")} == set(CASES)


REFUSED = {name for name in CASES if name.startswith("keys-other")}
OTHER_STATE = {"sql-join-interval-left": "left"}
"""Operators that keep something else now, and the state of theirs that is refused."""


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_keys_that_were_pickled_are_refused_by_name(tmp_path, name):
    with pytest.raises(TaskFailedError, match=r"operator '.*was saved for the key .*It can't be restored"):
        CASES[name].restored(FOLDER / f"{name}.zip", tmp_path, 2)


@pytest.mark.parametrize(("name", "state"), OTHER_STATE.items())
def test_state_that_means_something_else_now_is_refused_by_name(tmp_path, name, state):
    with pytest.raises(TaskFailedError, match=f"state '{state}' was saved as map state, and is now pending rows"):
        CASES[name].restored(FOLDER / f"{name}.zip", tmp_path, 2)


@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED | OTHER_STATE.keys()])
def test_a_job_goes_on_from_it(tmp_path, name):
    # Another parallelism for some of them: state is read by key group then.
    parallelism = 2 + sum(name.encode()) % 2
    found, wanted = CASES[name].restored(FOLDER / f"{name}.zip", tmp_path, parallelism)
    assert found == wanted
    assert found
