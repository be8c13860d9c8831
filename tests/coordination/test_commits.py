from __future__ import annotations

import pickle

import pytest

from flott.connectors.staged_files import StagedFile, StagedFiles, StagingArea
from flott.coordination.checkpoints.metadata import Committable
from flott.coordination.commits import Commits
from flott.runtime.operators.sinks import WriterSink
from flott.runtime.plan import ChainedOperator, EpochPlan, VertexSpec


class Files:
    """A sink of files, which notes what it is asked to make durable."""

    def __init__(self, path):
        self.area = StagingArea(str(path))
        self.asked = []
        self.fails = False

    def make_durable(self, committables, *, committed):
        assert not committed
        if self.fails:
            raise OSError("the disk is full")
        self.asked += [file.target for one in committables for file in one.files]
        self.area.make_durable(committables, committed=committed)


@pytest.fixture
def sink(tmp_path):
    return Files(tmp_path)


@pytest.fixture
def commits(sink):
    member = ChainedOperator(WriterSink(sink), "out", "out", None)
    return Commits(EpochPlan("job", (VertexSpec(0, "out", (member,), 1, 128, 0, 0),), (), ()), wait=True)


def staged(sink, name):
    file = StagedFile(f".staging/job-out/d1/0/{name}", name)
    with sink.area.create(file.staged) as opened:
        opened.write(b"a line")
    return Committable("out", 0, pickle.dumps([StagedFiles("", (file,))]))


def test_what_an_earlier_checkpoint_made_durable_may_be_committed_meanwhile(commits, sink):
    first, second = staged(sink, "first"), staged(sink, "second")
    commits.make_durable((first,))
    for one in pickle.loads(first.payload):
        sink.area.publish(one.files[0])
    commits.make_durable((first, second))
    assert sink.asked == ["first", "second"]


def test_what_could_not_be_made_durable_is_left_to_the_next_checkpoint(commits, sink):
    first, second = staged(sink, "first"), staged(sink, "second")
    sink.fails = True
    with pytest.raises(OSError, match="the disk is full"):
        commits.make_durable((first,))
    sink.fails = False
    commits.make_durable((first, second))
    assert sink.asked == ["first", "second"]
