"""When subtasks are tied to the machines that have their stores. That they stay there: tests/chaos/test_cluster.py."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from flott.errors import FlottError
from flott.runtime.state.lineage import Lineage, StateFile
from flott.spark.anchors import WORTH_IT, Anchors

SOME = Lineage((StateFile("delta", "one", (), 1),))


def wanted(wish, *sizes):
    anchors = Anchors(SimpleNamespace(levels=()), "job", wish)
    anchors.look_at([SimpleNamespace(changed_bytes=size, lineage=SOME if size else Lineage()) for size in sizes])
    return anchors._wanted


def test_much_changed_state_is_worth_an_anchor():
    assert not wanted("auto")
    assert not wanted("auto", WORTH_IT, 100)
    # The sources keep nothing, and have no say.
    assert wanted("auto", 0, 0, 2 * WORTH_IT, WORTH_IT)


def test_one_may_decide_otherwise():
    assert wanted("true", 10)
    assert not wanted("false", 9 * WORTH_IT)
    with pytest.raises(FlottError, match="one of auto, true, false"):
        wanted("yes")
