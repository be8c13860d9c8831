"""Events that come in columns: the same matches as record by record, with few of them made into objects."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.cep import CEP, AfterMatchSkipStrategy, Pattern, PatternProcessFunction, col
from flott.cep.compile_nfa import compile_nfa
from flott.cep.operator import CepOperator
from flott.common import Row, Types, WatermarkStrategy
from flott.common.fields import Field, field
from flott.datastream import OutputTag
from flott.datastream.connectors.datagen import ColumnGenerator, DataGeneratorSource
from flott.runtime.batch import Batch
from flott.runtime.columns import ColumnBatch
from flott.testing.harness import KeyedOneInputOperatorHarness

LATE = OutputTag("late")


class Show(PatternProcessFunction):
    def process_match(self, match, ctx):
        yield tuple((row.card, row.amount) for rows in match.values() for row in rows)


def fraud():
    return (
        Pattern.begin("small", AfterMatchSkipStrategy.skip_past_last_event()).where(col("amount") < 3).one_or_more()
        .followed_by("large").where(col("amount") > 6).within(20)
    )  # fmt: skip


def harness(pattern=None, **options):
    return KeyedOneInputOperatorHarness(CepOperator(compile_nfa(pattern or fraud()), Show(), Field("card"), **options))


def batch(events):
    cards, amounts, times = (list(part) for part in zip(*events, strict=True))
    return ColumnBatch.of({"card": cards, "amount": amounts}, times)


def by_card(cep):
    """The matches of each card, in their order; between cards there is none."""
    found = {}
    for match in cep.extract_output_values():
        found.setdefault(match[0][0], []).append(match)
    return found


EVENTS = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=12)
STEPS = st.lists(st.one_of(EVENTS, st.integers(0, 9), st.just("epoch")), max_size=10)


@pytest.mark.job
@given(STEPS)
def test_columns_and_records_give_the_same_matches(steps):
    with harness() as columns, harness() as records:
        now = 0
        for step in steps:
            if step == "epoch":
                columns.end_epoch(new_worker=True)
            elif isinstance(step, int):
                now += step
                columns.process_watermark(now)
                records.process_watermark(now)
            else:
                some = batch([(card, amount, now + later) for card, amount, later in step])
                columns.operator.process(some)
                records.operator.process(Batch(list(some.values), some.stamps))
        for each in (columns, records):
            each.process_watermark(now + 1000)
            assert each.num_state_entries() == 0
        assert by_card(columns) == by_card(records)


def test_only_what_matters_becomes_an_object():
    with harness() as cep:
        some = batch([(f"card{number}", 5, number) for number in range(100)] + [("card7", 1, 200), ("card7", 9, 201)])
        cep.operator.process(some)
        cep.process_watermark(300)
        assert cep.extract_output_values() == [(("card7", 1), ("card7", 9))]
        assert some._records is None


def test_late_events_in_columns():
    with harness(late_tag=LATE) as cep:
        cep.process_watermark(5)
        cep.operator.process(batch([("x", 1, 5), ("x", 2, 6), ("x", 3, 2), ("x", 9, 7)]))
        cep.process_watermark(10)
        assert cep.extract_side_output(LATE) == [Row(card="x", amount=1), Row(card="x", amount=3)]
        assert cep.extract_output_values() == [(("x", 2), ("x", 9))]


def test_a_condition_that_is_a_function_is_asked_record_by_record():
    pattern = Pattern.begin("small").where(lambda row: row.amount < 3).next("large").where(col("amount") > 6)
    with harness(pattern) as cep:
        cep.operator.process(batch([("x", 1, 1), ("y", 9, 2), ("x", 7, 3)]))
        cep.process_watermark(10)
        assert cep.extract_output_values() == [(("x", 1), ("x", 7))]
    pattern = Pattern.begin("small").where(col("amount") < 3).next("large").where(lambda row: row.amount > 6)
    with harness(pattern) as cep:
        cep.operator.process(batch([("x", 1, 1), ("y", 9, 2), ("x", 7, 3)]))
        cep.process_watermark(10)
        assert cep.extract_output_values() == [(("x", 1), ("x", 7))]


def test_a_program_in_columns(env):
    payments = ColumnGenerator(
        lambda n: {"card": n % 7, "amount": n * n % 10, "time": n},
        Types.ROW_NAMED(["card", "amount", "time"], [Types.LONG(), Types.LONG(), Types.LONG()]),
    )
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(field("time"))
    source = DataGeneratorSource(payments, 500)

    def found(conditions):
        small, large = conditions
        pattern = Pattern.begin("small").where(small).next("large").where(large)
        stream = env.from_source(source, strategy, "payments").key_by("card")
        results = CEP.pattern(stream, pattern).select(lambda match: (match["small"][0].time, match["large"][0].time))
        with results.execute_and_collect() as rows:
            return sorted(rows)

    in_columns = found((col("amount") < 3, col("amount") > 5))
    assert in_columns == found((lambda row: row.amount < 3, lambda row: row.amount > 5))
    assert len(in_columns) > 20
