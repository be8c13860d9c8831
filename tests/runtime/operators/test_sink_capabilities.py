"""The optional methods of sinks and writers: found once, without a base class, and misspelled ones refused."""

from __future__ import annotations

import pickle

import pytest

from flott.errors import GraphError
from flott.runtime.batch import Batch
from flott.runtime.operators.sinks import WriterSink
from flott.testing.harness import OneInputOperatorHarness


class Lookups:
    """Counts how often an attribute is asked for."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        if not name.startswith("_"):
            self.asked.append(name)
        raise AttributeError(name)


class LeastWriter(Lookups):
    def __init__(self):
        super().__init__()
        self.written = []

    def write(self, element, context):
        self.written.append(element)


class LeastSink:
    def create_writer(self, context):
        return LeastWriter()


class FullWriter:
    def __init__(self, log):
        self.log = log

    def write_batch(self, batch):
        self.log.append(("batch", list(batch.values)))

    def write_watermark(self, watermark):
        self.log.append(("watermark", watermark))

    def flush(self, end_of_input):
        self.log.append(("flush", end_of_input))

    def prepare_commit(self):
        return ["prepared"]

    def snapshot_state(self, checkpoint_id):
        return ["state"]

    def close(self):
        self.log.append("close")


class FullSink:
    follows_watermarks = True

    def create_writer(self, context):
        return FullWriter(["created"])

    def restore_writer(self, context, recovered_state):
        return FullWriter(["restored", recovered_state])


def test_a_sink_with_nothing_but_the_required_methods_writes():
    with OneInputOperatorHarness(WriterSink(LeastSink())) as h:
        h.process_batch([1, 2])
        h.process_watermark(5)
        assert h.operator.snapshot() is None
        assert h.operator.writer.written == [1, 2]
        assert h.operator.take() is None


def test_a_writer_is_asked_once_what_it_can_do_not_for_each_batch():
    with OneInputOperatorHarness(WriterSink(LeastSink())) as h:
        h.process_batch([1])
        asked = list(h.operator.writer.asked)
        assert len(asked) == len(set(asked))
        for value in range(3):
            h.process_batch([value])
            h.process_watermark(value)
            h.end_epoch()
        assert h.operator.writer.asked == asked


def test_everything_a_writer_can_do_is_used():
    with OneInputOperatorHarness(WriterSink(FullSink())) as h:
        h.process_watermark(5)
        log = h.operator.writer.log
        h.process_batch([1, 2])
        h.operator.snapshot()
        assert h.operator.take() == ["prepared"]
    assert log == ["created", ("watermark", 5), ("batch", [1, 2]), ("flush", False), "close"]


def test_after_a_move_the_writer_goes_on_from_its_state():
    with OneInputOperatorHarness(WriterSink(FullSink())) as h:
        h.process_batch([1])
        carried = h.operator.snapshot()
        operator = pickle.loads(pickle.dumps(h.operator))
        operator.setup(h.operator.context, None)
        operator.restore(carried)
        assert operator.writer.log == ["restored", ["state"]]


def test_a_writer_that_was_dropped_is_not_used_any_more():
    with OneInputOperatorHarness(WriterSink(FullSink())) as h:
        h.process_batch([1])
        first = h.operator.writer
        h.operator.restore(None)  # the epoch starts again
        h.operator.process(Batch([2]))
        h.operator.on_watermark(7)
        assert first.log == ["created", ("batch", [1]), "close"]
        assert h.operator.writer.log == ["created", ("batch", [2]), ("watermark", 7)]


def test_a_misspelled_method_of_a_sink_is_refused_when_the_graph_is_built():
    class Sink(LeastSink):
        def create_commiter(self): ...

    with pytest.raises(GraphError, match=r"create_commiter\(\.\.\.\) is never called; did you mean create_committer"):
        WriterSink(Sink())


def test_a_misspelled_method_of_a_writer_is_refused_when_it_is_created():
    class Writer(LeastWriter):
        def prepare_commits(self): ...

    class Sink:
        def create_writer(self, context):
            return Writer()

    with (
        OneInputOperatorHarness(WriterSink(Sink())) as h,
        pytest.raises(GraphError, match=r"prepare_commits\(\.\.\.\) is never called; did you mean prepare_commit\("),
    ):
        h.process_batch([1])


def test_other_names_are_the_users_own():
    class Sink(LeastSink):
        created_writers = 0
        make_durables = None  # not a method

        def create_writers(self): ...

        def commit(self): ...

    assert WriterSink(Sink()).capabilities.create_committer is None
