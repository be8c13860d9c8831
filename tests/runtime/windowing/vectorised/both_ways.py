"""A window operation in columns and record by record: both fed with the same script."""

from __future__ import annotations

import pickle

import pyarrow as pa
from hypothesis import strategies as st

from flott.common.fields import Field
from flott.runtime.batch import MAX_WATERMARK, Batch
from flott.runtime.columns import ColumnBatch
from flott.runtime.windowing.operator import LATE_RECORDS
from flott.runtime.windowing.spec import WindowSpec
from flott.runtime.windowing.triggers import EventTimeTrigger
from flott.runtime.windowing.vectorised.aggregates import Avg, Count, Max, Min, RowAggregates, RowResults, Sum
from flott.runtime.windowing.vectorised.local_operator import LocalAggregate
from flott.runtime.windowing.vectorised.local_sessions import LocalSessions
from flott.runtime.windowing.vectorised.merging_operator import MergingWindowOperator
from flott.runtime.windowing.vectorised.merging_sessions import MergingSessionOperator
from flott.runtime.windowing.vectorised.plan import AggregatePlan
from flott.testing.harness import KeyedOneInputOperatorHarness, OneInputOperatorHarness

AGGREGATES = (
    Count(), Count("whole"), Sum("whole"), Min("whole"), Max("whole"), Avg("whole"),
    Sum("part"), Min("part"), Max("part"), Avg("part"),
)  # fmt: skip
NAMES = ("key", "whole", "part")


def plan_of(assigner, lateness=0, key_type=None):
    types = {"key": key_type or pa.string(), "whole": pa.int64(), "part": pa.float64()}
    outputs = [("key", "key"), ("start", "start"), ("end", "end"), *((one.title, one) for one in AGGREGATES)]
    return AggregatePlan(assigner, "key", types, tuple(outputs), tuples=True, lateness=lateness)


def row_operator(assigner, lateness=0):
    fields = tuple(None if one.field is None else Field(one.field, NAMES.index(one.field)) for one in AGGREGATES)
    spec = WindowSpec(
        assigner,
        EventTimeTrigger(),
        aggregate=RowAggregates(AGGREGATES, fields),
        function=RowResults(with_key=True),
        allowed_lateness=lateness,
    )
    return spec.operator(Field("key", 0))


class Exchange:
    """Carries what the first half puts out to the second, as a task's blocks would."""

    def __init__(self, target):
        self.target = target
        self.rows = 0

    def add(self, batch):
        self.rows += len(batch)
        self.target.operator.process(pickle.loads(pickle.dumps(batch)))

    def watermark(self, timestamp):
        self.target.process_watermark(timestamp)

    def status(self, active):
        self.target.process_status(active)


class InColumns:
    """Both halves of a window operation on columns."""

    def __init__(self, plan):
        self.late = 0
        merging = MergingSessionOperator if plan.sessions else MergingWindowOperator
        self.merging = KeyedOneInputOperatorHarness(merging(plan)).open()
        self.local = OneInputOperatorHarness((LocalSessions if plan.sessions else LocalAggregate)(plan))
        self.exchange = self.local.main = Exchange(self.merging)
        self.local.chain.connect([(0, None, self.exchange)])
        self.local.open()
        self.process_watermark, self.process_status = self.local.process_watermark, self.local.process_status

    def process(self, records, times, columnar):
        if columnar:
            types = [pa.string() if isinstance(records[0][0], str | None) else pa.int64(), pa.int64(), pa.float64()]
            columns = [pa.array(column, kind) for column, kind in zip(zip(*records, strict=True), types, strict=True)]
            batch = ColumnBatch.of(dict(zip(NAMES, columns, strict=True)), times, tuples=True)
        else:
            batch = Batch(list(records), list(times))
        self.local.operator.process(batch)

    def end_epoch(self, new_worker):
        self.local.end_epoch(new_worker=new_worker)
        self.late += self.merging.operator.context.metrics.counts().get(LATE_RECORDS, 0)
        self.merging.end_epoch(new_worker=new_worker)

    def outcome(self):
        late = self.merging.operator.context.metrics.counter(LATE_RECORDS).count
        return self.merging.extract_output_records(), self.late + late, self.merging.num_state_entries()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.local.close()
        self.merging.close()


def run_in_columns(plan, script):
    with InColumns(plan) as both:
        for kind, value in [*script, ("mark", MAX_WATERMARK)]:
            if kind == "records":
                records, columnar = value
                both.process([record for record, _ in records], [time for _, time in records], columnar)
            elif kind == "mark":
                both.process_watermark(value)
            else:
                both.end_epoch(value)
        return both.outcome()


def run_by_rows(operator, script):
    late = 0
    with KeyedOneInputOperatorHarness(operator) as harness:
        for kind, value in [*script, ("mark", MAX_WATERMARK)]:
            if kind == "records":
                harness.process_batch([record for record, _ in value[0]], [time for _, time in value[0]])
            elif kind == "mark":
                harness.process_watermark(value)
            elif kind == "epoch":
                late += harness.operator.context.metrics.counts().get(LATE_RECORDS, 0)
                harness.end_epoch(new_worker=value)
        late += harness.operator.context.metrics.counter(LATE_RECORDS).count
        return harness.extract_output_records(), late, harness.num_state_entries()


times = st.integers(-20, 40)
numbers = st.one_of(st.none(), st.integers(-(2**40), 2**40))
# Quarters are exact, so that the order of additions does not show.
parts = st.one_of(st.none(), st.just(float("nan")), st.integers(-400, 400).map(lambda number: number / 4))


def scripts(keys, parts=parts, times=times, marks=times):
    records = st.lists(st.tuples(st.tuples(keys, numbers, parts), times), min_size=1, max_size=6)
    return st.lists(
        st.one_of(
            st.tuples(st.just("records"), st.tuples(records, st.booleans())),
            st.tuples(st.just("mark"), marks),
            st.tuples(st.just("epoch"), st.booleans()),
        ),
        max_size=25,
    ).map(rising)


def rising(script):
    """Leave out watermarks that do not rise: no operator is ever given any."""
    kept, last = [], -(2**63)
    for kind, value in script:
        if kind != "mark" or value > last:
            kept.append((kind, value))
            last = value if kind == "mark" else last
    return kept


def text(records):
    """NaN equals nothing, not even itself; its text does. Zero has two texts."""
    return sorted(repr(record).replace("-0.0", "0.0") for record in records)


no_nan = parts.filter(lambda number: number is None or number == number)  # noqa: PLR0124


def last_results(records):
    return {record.value[:3]: record.value for record in records}.values()
