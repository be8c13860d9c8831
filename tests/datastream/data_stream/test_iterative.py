"""Loops: what goes back arrives in the next epoch, is part of checkpoints, and the job ends when nothing is left."""

from __future__ import annotations

import pytest
from tests.failing_jobs import FailsAt, environment, lines, small_epochs, text_sink
from tests.waiting import PATIENCE

from flott.common import Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import CoMapFunction, ProcessFunction, RuntimeExecutionMode
from flott.errors import GraphError, JobExecutionError
from flott.runtime.batch import MAX_WATERMARK

pytestmark = pytest.mark.job


def collatz(number):
    """Return the first number and how many steps it takes to come to 1."""
    start, steps = number, 0
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        steps += 1
    return start, steps


def step(record):
    start, number, steps = record
    return (start, number, steps) if number == 1 else (
        start, number // 2 if number % 2 == 0 else 3 * number + 1, steps + 1,
    )  # fmt: skip


def loop(numbers):
    """Each round is one step of each number; those that came to 1 leave."""
    rounds = numbers.iterate()
    stepped = rounds.map(step)
    rounds.close_with(stepped.filter(lambda record: record[1] != 1).uid("again"))
    return stepped.filter(lambda record: record[1] == 1).map(lambda record: (record[0], record[2]))


def collect(stream):
    with stream.execute_and_collect() as results:
        return sorted(results, key=str)


def test_records_go_round_until_they_leave_and_the_job_ends(env):
    found = collect(loop(env.from_sequence(1, 40).map(lambda n: (n, n, 0))))
    assert found == sorted(map(collatz, range(1, 41)), key=str)


def test_keyed_state_sees_records_of_all_rounds(env):
    rounds = env.from_collection([("a", 3), ("b", 1), ("a", 2)]).iterate()
    counted = rounds.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], max(one[1], other[1])))
    rounds.close_with(rounds.map(lambda pair: (pair[0], pair[1] - 1)).filter(lambda pair: pair[1] > 0))
    assert sorted(collect(counted)) == [("a", 3)] * 5 + [("b", 1)]


def test_several_ways_back_and_a_loop_inside_a_loop(env):
    outer = env.from_collection([8]).iterate()
    inner = outer.map(lambda n: n).iterate()
    down = inner.map(lambda n: n - 1)
    inner.close_with(down.filter(lambda n: n % 4 != 0 and n > 0))
    fours = down.filter(lambda n: n % 4 == 0)
    outer.close_with(fours.filter(lambda n: n > 0))
    outer.close_with(fours.filter(lambda n: n == 4).map(lambda n: 1))
    assert sorted(collect(fours)) == [0, 0, 4]


class Towards(CoMapFunction):
    """Turns numbers into texts, and texts that came back into shorter ones."""

    def map1(self, value):
        return "x" * value

    def map2(self, value):
        return value[1:]


def test_what_feeds_back_may_have_another_type(env):
    rounds = env.from_collection([1, 3], Types.INT()).iterate().with_feedback_type(Types.STRING())
    texts = rounds.map(Towards(), Types.STRING())
    rounds.close_with(texts.filter(lambda text: text != ""))
    assert collect(texts) == ["", "", "x", "x", "xx", "xxx"]


class Times(ProcessFunction):
    """Tells the timestamp of each record, and where event time stood."""

    def process_element(self, value, ctx):
        yield value, ctx.timestamp(), ctx.timer_service().current_watermark()


def test_timestamps_go_round_and_the_loop_does_not_hold_event_time_back(env):
    times = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda n, _: n * 1000)
    numbers = env.set_parallelism(1).from_collection([1, 2, 7, 12]).assign_timestamps_and_watermarks(times)
    rounds = numbers.map(lambda n: (n, 0)).iterate()
    rounds.close_with(rounds.filter(lambda pair: pair[1] == 0).map(lambda pair: (pair[0], 1)))
    found = collect(rounds.process(Times()))
    assert [(value, at) for value, at, _ in found] == [((n, turn), n * 1000) for n in (1, 12, 2, 7) for turn in (0, 1)]
    assert {mark for (_, turn), _, mark in found if turn == 1} == {MAX_WATERMARK}


@pytest.mark.parametrize("fails", [(3,), (0, 57, 190)])
def test_after_a_failure_each_result_shows_once(tmp_path, monkeypatch, fails):
    small_epochs(monkeypatch)
    env = environment()
    numbers = env.from_source(
        DataGeneratorSource(lambda index: index + 1, 200, RateLimiterStrategy.no_op()),
        WatermarkStrategy.no_watermarks(),
        "numbers",
    )
    numbers = numbers.map(lambda n: (n, n, 0))
    rounds = numbers.iterate()
    stepped = rounds.map(step).map(FailsAt(*((n, 1, collatz(n)[1]) for n in fails if n)))
    rounds.close_with(stepped.filter(lambda record: record[1] != 1))
    done = stepped.filter(lambda record: record[1] == 1).map(lambda record: f"{record[0]} {record[2]}")
    done.sink_to(text_sink(tmp_path / "out"))
    env.execute("loop")
    assert lines(tmp_path / "out") == sorted("{} {}".format(*collatz(n)) for n in range(1, 201))


@pytest.mark.parametrize("after", [1, 3])
def test_what_goes_round_is_in_a_savepoint(tmp_path, after):
    def build(parallelism, **options):
        env = environment(None, parallelism, **options)
        source = DataGeneratorSource(lambda index: index + 1, 300, RateLimiterStrategy.per_second(1_000))
        numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
        rounds = numbers.map(lambda n: (n, n, 0)).uid("start").iterate()
        stepped = rounds.map(step).uid("step")
        rounds.close_with(stepped.filter(lambda record: record[1] != 1).uid("again"))
        done = stepped.filter(lambda record: record[1] == 1).map(lambda record: f"{record[0]} {record[2]}")
        done.sink_to(text_sink(tmp_path / "out")).uid("out")
        return env

    job = build(2).execute_async("loop")
    path = job.stop_with_savepoint(False, str(tmp_path / "savepoints")).result(PATIENCE)
    before = lines(tmp_path / "out")
    build(after, **{"execution.state-recovery.path": path}).execute("loop")
    found = lines(tmp_path / "out")
    assert len(before) < len(found)
    assert found == sorted("{} {}".format(*collatz(n)) for n in range(1, 301))


def test_a_loop_that_is_not_closed_is_refused(env):
    env.from_collection([1]).iterate().map(lambda n: n).print()
    with pytest.raises(GraphError, match=r"nothing feeds back.*close_with\(feedback\)"):
        env.execute()


def test_what_is_fed_back_must_come_from_the_loop_and_fit(env):
    rounds = env.from_collection([1], Types.INT()).iterate()
    with pytest.raises(GraphError, match="does not come from this iteration"):
        rounds.close_with(env.from_collection([2], Types.INT()))
    with pytest.raises(GraphError, match=r"the iteration takes .*Integer.*with_feedback_type"):
        rounds.close_with(rounds.map(str, Types.STRING()))
    with pytest.raises(GraphError, match="is no DataStream"):
        rounds.close_with([1])
    with pytest.raises(GraphError, match="longest wait in milliseconds"):
        env.from_collection([1]).iterate(-1)


def test_batch_mode_is_refused(env):
    rounds = env.set_runtime_mode(RuntimeExecutionMode.BATCH).from_collection([1]).iterate()
    rounds.close_with(rounds.filter(lambda _: False)).print()
    with pytest.raises(GraphError, match="never ends"):
        env.execute()


def test_what_cannot_be_pickled_cannot_go_back(env):
    rounds = env.from_collection([1]).iterate()
    rounds.close_with(rounds.map(lambda n: lambda: n))
    with pytest.raises(JobExecutionError, match="goes back into the iteration can't be pickled"):
        env.execute()
