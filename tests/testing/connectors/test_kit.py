"""The kit finds what is wrong with connectors that break the contract, each in one way."""

from __future__ import annotations

from uuid import uuid4

import pytest

from flott.connectors.base import Committer, CommittingSinkWriter, Sink, Source, SupportsCommitter
from flott.connectors.index_range import IndexRangeEnumerator
from flott.runtime.batch import Batch
from flott.runtime.source import SourcePlan, SplitRead
from flott.testing.connectors import ConformanceError, SinkCase, SourceCase, check_sink, check_source

COUNT = 40


class Numbers(Source):
    """A good one; each test spoils a piece of it."""

    bounded = True
    enumerator = IndexRangeEnumerator

    def is_bounded(self):
        return self.bounded

    def create_enumerator(self, parallelism):
        return self.enumerator(0, COUNT, parallelism)

    def read(self, read):
        yield Batch(list(range(read.start, read.end)))


class ForgetsItsPosition(IndexRangeEnumerator):
    def restore(self, state):
        pass


class ReadsAllAtOnce(IndexRangeEnumerator):
    def plan(self, scale, now):
        return super().plan(1.0 if scale < 1.0 else 1e-4, now)


class NeverRests(IndexRangeEnumerator):
    def plan(self, scale, now):
        plan = super().plan(scale, now)
        return SourcePlan(plan.reads, plan.empty, backlog=True, ended=plan.ended)


class OneSubtaskOnly(IndexRangeEnumerator):
    def plan(self, scale, now):
        plan = super().plan(scale, now)
        return SourcePlan(plan.reads[:1], plan.empty, plan.backlog, plan.ended)


class SharesASplit(IndexRangeEnumerator):
    def plan(self, scale, now):
        plan = super().plan(scale, now)
        reads = tuple(tuple(SplitRead("all", read.start, read.end) for read in reads) for reads in plan.reads)
        return SourcePlan(reads, plan.empty, plan.backlog, plan.ended)


READS = []


class AnotherOrderNextTime(Numbers):
    def read(self, read):
        READS.append(read)
        numbers = range(read.start, read.end)
        yield Batch(list(numbers if len(READS) % 2 else reversed(numbers)))


def spoiled(enumerator, **attributes):
    return type("Spoiled", (Numbers,), {"enumerator": enumerator, **attributes})


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (spoiled(ForgetsItsPosition), "after a crash behind epoch 1 of .* too many"),
        (spoiled(ReadsAllAtOnce), "read less at a smaller scale"),
        (spoiled(NeverRests), "would never rest"),
        (spoiled(OneSubtaskOnly), "for 1 subtasks at parallelism 2"),
        (spoiled(SharesASplit), "one split to two subtasks"),
        (spoiled(IndexRangeEnumerator, bounded=False), "no end, but plan"),
        (AnotherOrderNextTime, "when it was read again"),
    ],
)
def test_a_source_that_breaks_the_contract_is_found(source, message):
    with pytest.raises(ConformanceError, match=message):
        check_source(SourceCase(source, expected=range(COUNT)))


def test_a_source_that_loses_records_is_found():
    with pytest.raises(ConformanceError, match=r"1 records are missing \(40\), 0 too many"):
        check_source(SourceCase(Numbers, expected=range(COUNT + 1)))


def test_a_good_source_passes():
    check_source(SourceCase(Numbers, expected=range(COUNT)))


class Shelf:
    """Where the sinks below write; no file, so that each test starts with an empty one."""

    def __init__(self):
        self.hidden = {}
        self.shown = []
        self.done = set()


SHELVES = {}


class ShelfWriter(CommittingSinkWriter):
    def __init__(self, sink, context):
        self.sink, self.scope, self.records = sink, context.get_job_id(), []

    def write(self, element, context):
        if self.sink.shows_at_once:
            self.sink.shelf.shown.append(element)
        self.records.append(element)

    def prepare_commit(self):
        shelf, records, self.records = self.sink.shelf, self.records, []
        name = f"{self.scope}-{uuid4().hex}"
        shelf.hidden[name] = records
        return [name]


class ShelfCommitter(Committer):
    def __init__(self, sink):
        self.sink = sink

    def commit(self, requests):
        shelf = self.sink.shelf
        for request in requests:
            name = request.get_committable()
            if name in shelf.done and self.sink.remembers:
                continue
            shelf.done.add(name)
            records = shelf.hidden[name] if not self.sink.remembers else shelf.hidden.pop(name)
            if not self.sink.shows_at_once:
                shelf.shown.extend(records)


class ShelfSink(Sink, SupportsCommitter):
    shows_at_once = False
    remembers = True
    respects_others = True
    keeps = True

    def __init__(self, name):
        self.name = name

    @property
    def shelf(self):
        return SHELVES[self.name]

    def create_writer(self, context):
        return ShelfWriter(self, context)

    def create_committer(self):
        return ShelfCommitter(self)

    def abort_stale(self, scope, kept):
        for name in list(self.shelf.hidden):
            mine = name.startswith(scope.job_id) or not self.respects_others
            if mine and not (name in kept and self.keeps):
                del self.shelf.hidden[name]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"shows_at_once": True}, "after the commit of the first of two epochs"),
        ({"remembers": False}, "hidden things are left|too many"),
        ({"respects_others": False}, "KeyError"),
        ({"keeps": False}, "KeyError"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_sink_that_breaks_the_contract_is_found(fault, message):
    sink = type("Spoiled", (ShelfSink,), fault)
    SHELVES["spoiled"] = shelf = Shelf()
    with pytest.raises(Exception, match=message):
        check_sink(SinkCase(lambda: sink("spoiled"), lambda: shelf.shown, leftovers=lambda: shelf.hidden))


def test_a_good_sink_passes():
    SHELVES["good"] = shelf = Shelf()
    check_sink(SinkCase(lambda: ShelfSink("good"), lambda: shelf.shown, leftovers=lambda: shelf.hidden))
