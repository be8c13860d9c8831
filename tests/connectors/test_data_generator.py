from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common.typeinfo import Types
from flott.connectors.base import BATCH_SIZE
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.generator_functions import GeneratorFunction, SeededGenerator
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.errors import GraphError
from flott.runtime.clock import ManualClock
from flott.runtime.source import SplitRead


class Doubled(GeneratorFunction):
    def map(self, value):
        return value * 2


class DoubledAtOnce(Doubled):
    def map(self, value):
        raise AssertionError("map_range is there")

    def map_range(self, start, stop):
        return [2 * index for index in range(start, stop)]


@pytest.mark.parametrize("function", [lambda index: index * 2, Doubled(), DoubledAtOnce()])
def test_functions_objects_and_vectorised_ones_give_the_same(drain, function):
    parts = drain(DataGeneratorSource(function, count=50_000), parallelism=2)
    assert sorted(parts[0] + parts[1]) == list(range(0, 100_000, 2))


@given(
    seed=st.integers(-(2**70), 2**70),
    start=st.integers(0, 500),
    length=st.integers(0, 300),
    index=st.integers(0, 299),
)
def test_a_seeded_record_depends_on_seed_and_index_alone(seed, start, length, index):
    def record(random, index):
        # Draws now more, now less: what comes before an index must not matter.
        return index, [random.randint(0, 9) for _ in range(random.randint(0, 3) + index % 3)]

    generator = SeededGenerator(seed, record)
    records = generator.map_range(start, start + length)
    assert [number for number, _ in records] == list(range(start, start + length))
    assert records == SeededGenerator(seed, record).map_range(0, start + length)[start:]
    if index < length:
        assert generator.map(start + index) == records[index]


def test_other_seeds_and_other_runs_give_other_records():
    def dice(random, index):
        return random.getrandbits(64)

    assert not set(SeededGenerator(1, dice).map_range(0, 1000)) & set(SeededGenerator(2, dice).map_range(0, 1000))
    assert len(set(SeededGenerator(1, dice).map_range(0, 10_000))) == 10_000


def test_a_limited_rate_over_all_subtasks(read):
    clock = ManualClock(1_000_000)
    strategy = RateLimiterStrategy.per_second(1000)
    source = DataGeneratorSource(lambda index: index, rate_limiter_strategy=strategy)
    enumerator = source.create_enumerator(2)
    made = []
    for _ in range(50):
        made += [value for part in read(source, enumerator.plan(1.0, clock.now())) for value in part]
        clock.advance_to(clock.now() + 37)
    assert sorted(made) == list(range(1 + 49 * 37))


def test_without_a_count_it_never_ends():
    source = DataGeneratorSource(lambda index: index)
    assert not source.is_bounded()
    enumerator = source.create_enumerator(1)
    enumerator.restore(10**15)
    plan = enumerator.plan(1.0, 0)
    assert (plan.ended, plan.backlog, plan.reads[0][0].start) == (False, True, 10**15)


def test_the_users_error_comes_through_with_the_index():
    def fail(index):
        if index == BATCH_SIZE + 7:
            raise ZeroDivisionError("bad luck")
        return index

    batches = DataGeneratorSource(fail, count=100_000).read(SplitRead("0", 0, 100_000))
    assert len(next(batches)) == BATCH_SIZE
    with pytest.raises(ZeroDivisionError, match="bad luck") as failure:
        next(batches)
    assert failure.value.__notes__ == [f"raised for index {BATCH_SIZE + 7} of the data generator"]


def test_the_error_of_a_seeded_function_names_the_index():
    generator = SeededGenerator(1, lambda random, index: 1 // (index - 130))
    with pytest.raises(ZeroDivisionError) as failure:
        list(DataGeneratorSource(generator, count=1000).read(SplitRead("0", 100, 200)))
    assert failure.value.__notes__[0] == "raised for index 130 of the data generator"


def test_stop_iteration_does_not_lose_records():
    def fail(index):
        raise StopIteration

    with pytest.raises(RuntimeError, match="StopIteration for index 3 "):
        list(DataGeneratorSource(fail, count=10).read(SplitRead("0", 3, 10)))


def test_map_range_must_return_as_many_records_as_asked():
    class TooFew(Doubled):
        def map_range(self, start, stop):
            return [0]

    with pytest.raises(ValueError, match=r"map_range\(0, 5\) returned 1 records; it must return 5"):
        list(DataGeneratorSource(TooFew(), count=5).read(SplitRead("0", 0, 5)))


def test_wrong_functions_are_refused_when_the_source_is_made():
    lock = threading.Lock()
    with pytest.raises(GraphError, match="one argument, the index"):
        DataGeneratorSource(lambda: 1, count=5)
    with pytest.raises(GraphError, match="can't be pickled"):
        DataGeneratorSource(lambda index: lock, count=5)
    with pytest.raises(GraphError, match="no generator"):
        DataGeneratorSource(42, count=5)
    with pytest.raises(GraphError, match="count is -1"):
        DataGeneratorSource(lambda index: index, count=-1)


def test_built_in_functions_will_do(drain):
    assert drain(DataGeneratorSource(str, count=3)) == [["0", "1", "2"]]


def test_it_tells_the_type_it_was_given():
    assert DataGeneratorSource(str, 1, type_info=Types.STRING()).get_produced_type() == Types.STRING()
