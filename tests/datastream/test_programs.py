"""Whole programs, every method of the streams, run in this process on the real engine."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from typing import ClassVar

import pytest
from tests.waiting import PATIENCE

from flott.common import Duration, Row, Types, WatermarkGenerator, WatermarkStrategy
from flott.connectors.base import Committer, CommittingSinkWriter, Sink, SupportsCommitter
from flott.connectors.number_sequence import NumberSequenceSource
from flott.datastream import (
    AggregateFunction,
    AllWindowFunction,
    FilterFunction,
    FlatMapFunction,
    JobListener,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    OutputTag,
    Partitioner,
    ProcessAllWindowFunction,
    ProcessFunction,
    ProcessWindowFunction,
    ReduceFunction,
    RuntimeExecutionMode,
    SinkFunction,
    WindowFunction,
)
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueState,
    ValueStateDescriptor,
)
from flott.datastream.window import CountEvictor, CountTrigger, GlobalWindows, TumblingEventTimeWindows
from flott.errors import JobExecutionError

pytestmark = pytest.mark.job

ORDERS = [("ann", 3), ("bob", 5), ("ann", 4), ("bob", 1), ("ann", 2)]


def by_name(order):
    return order[0]


def collected(stream):
    with stream.execute_and_collect() as results:
        return list(results)


@pytest.fixture
def orders(env):
    return env.from_collection(ORDERS)


@pytest.fixture
def numbers(env):
    return env.from_sequence(1, 6)


# -- one record at a time --------------------------------------------------------------------------------


class Scaled(MapFunction):
    def open(self, runtime_context):
        self.factor = int(runtime_context.get_job_parameter("factor", "1"))

    def map(self, value):
        return value * self.factor


class Twice(FlatMapFunction):
    def flat_map(self, value):
        yield value
        yield value


class Even(FilterFunction):
    def filter(self, value):
        return value % 2 == 0


def test_map_flat_map_filter_with_callables(numbers):
    stream = (
        numbers.map(lambda number: number * 10).flat_map(lambda number: [number, number + 1]).filter(lambda n: n % 2)
    )
    assert sorted(collected(stream)) == [11, 21, 31, 41, 51, 61]


def test_map_flat_map_filter_with_function_objects(env, numbers):
    env.get_config().set_global_job_parameters({"factor": 3})
    assert sorted(collected(numbers.map(Scaled()).flat_map(Twice()).filter(Even()))) == [6, 6, 12, 12, 18, 18]


def test_a_flat_map_may_return_nothing(numbers):
    assert sorted(collected(numbers.flat_map(lambda number: [number] if number > 4 else None))) == [5, 6]


class Splits(ProcessFunction):
    odd = OutputTag("odd", Types.LONG())
    large = OutputTag("large")

    def process_element(self, value, ctx):
        assert isinstance(ctx, ProcessFunction.Context)
        if value % 2:
            yield self.odd, value
        else:
            yield value
        if value > 4:
            ctx.output(self.large, value)


@pytest.mark.parametrize(("tag", "expected"), [(None, [2, 4, 6]), (Splits.odd, [1, 3, 5]), (Splits.large, [5, 6])])
def test_process_with_side_outputs(numbers, tag, expected):
    main = numbers.process(Splits(), Types.LONG())
    assert sorted(collected(main if tag is None else main.get_side_output(tag))) == expected


def test_project(env):
    triples = env.from_collection([("a", 1, 2.0)], Types.TUPLE([Types.STRING(), Types.INT(), Types.DOUBLE()]))
    assert collected(triples.project(2, 0)) == [(2.0, "a")]
    assert collected(triples.project(1)) == [(1,)]


def test_a_declared_row_is_a_row_downstream(orders):
    named = Types.ROW_NAMED(["name", "amount"], [Types.STRING(), Types.LONG()])
    shaped = orders.map(lambda order: order, named).map(lambda row: row.amount)
    assert sorted(collected(shaped)) == [1, 2, 3, 4, 5]
    summed = orders.flat_map(lambda order: [order], named).key_by(lambda row: row.name).sum("amount")
    assert Row(name="ann", amount=9) in collected(summed)


def test_a_result_that_does_not_have_the_declared_shape_is_named(orders):
    pair = Types.TUPLE([Types.STRING(), Types.LONG()])
    with pytest.raises(JobExecutionError, match=r"operator 'Map': its result \('\w+', \d, \d\) is not.* 2 fields, but"):
        collected(orders.map(lambda order: (*order, order[1]), pair))


# -- keyed streams ---------------------------------------------------------------------------------------


class Totals(KeyedProcessFunction):
    """Uses every kind of state."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.amounts = runtime_context.get_list_state(ListStateDescriptor("amounts", Types.LONG()))
        self.seen = runtime_context.get_map_state(MapStateDescriptor("seen", Types.LONG(), Types.BOOLEAN()))
        self.largest = runtime_context.get_reducing_state(ReducingStateDescriptor("largest", max, Types.LONG()))
        self.mean = runtime_context.get_aggregating_state(AggregatingStateDescriptor("mean", Mean(), Types.LONG()))
        assert isinstance(self.count, ValueState)

    def process_element(self, value, ctx):
        assert isinstance(ctx, KeyedProcessFunction.Context)
        name, amount = value
        self.count.update((self.count.value() or 0) + 1)
        self.amounts.add(amount)
        self.seen[amount] = True
        self.largest.add(amount)
        self.mean.add(amount)
        assert ctx.get_current_key() == name
        ctx.timer_service().register_event_time_timer(2**63 - 1)

    def on_timer(self, timestamp, ctx):
        amounts = sorted(self.amounts.get())
        yield (
            ctx.get_current_key(),
            self.count.value(),
            amounts,
            len(list(self.seen)),
            self.largest.get(),
            self.mean.get(),
        )


class Mean(AggregateFunction):
    def create_accumulator(self):
        return (0, 0)

    def add(self, value, accumulator):
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a, acc_b):
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


class Numbered(MapFunction):
    def open(self, runtime_context):
        self.number = runtime_context.get_state(ValueStateDescriptor("number", Types.LONG()))

    def map(self, value):
        self.number.update((self.number.value() or 0) + 1)
        return (*value, self.number.value())


class FromTheSecond(FlatMapFunction):
    def open(self, runtime_context):
        self.before = runtime_context.get_state(ValueStateDescriptor("before"))

    def flat_map(self, value):
        if self.before.value() is not None:
            yield self.before.value(), value
        self.before.update(value)


class First(FilterFunction):
    def open(self, runtime_context):
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.BOOLEAN()))

    def filter(self, value):
        first = not self.seen.value()
        self.seen.update(True)
        return first


class ByName(KeySelector):
    def open(self, runtime_context):
        self.position = 0

    def get_key(self, value):
        return value[self.position]


class Larger(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 if value1[1] >= value2[1] else value2


def test_process_with_all_kinds_of_state_and_timers(orders):
    assert sorted(collected(orders.key_by(by_name).process(Totals()))) == [
        ("ann", 3, [2, 3, 4], 3, 4, 3.0),
        ("bob", 2, [1, 5], 2, 5, 3.0),
    ]


@pytest.mark.parametrize("selector", [by_name, ByName()])
def test_keyed_functions_of_one_record_have_state(orders, selector):
    keyed = orders.key_by(selector)
    assert Counter(order[2] for order in collected(keyed.map(Numbered()))) == {1: 2, 2: 2, 3: 1}
    pairs = collected(keyed.flat_map(FromTheSecond()))
    assert sorted(pairs) == [(("ann", 3), ("ann", 4)), (("ann", 4), ("ann", 2)), (("bob", 5), ("bob", 1))]
    assert sorted(collected(keyed.filter(First()))) == [("ann", 3), ("bob", 5)]


def test_keyed_functions_without_state(orders):
    keyed = orders.key_by(by_name)
    assert sorted(collected(keyed.map(lambda order: order[1]))) == [1, 2, 3, 4, 5]
    assert sorted(collected(keyed.filter(lambda order: order[1] > 3))) == [("ann", 4), ("bob", 5)]
    assert len(collected(keyed.flat_map(lambda order: [order] * 2))) == 10


ROLLING = {
    "sum": [("ann", 3), ("ann", 7), ("ann", 9), ("bob", 5), ("bob", 6)],
    "min": [("ann", 2), ("ann", 3), ("ann", 3), ("bob", 1), ("bob", 5)],
    "max": [("ann", 3), ("ann", 4), ("ann", 4), ("bob", 5), ("bob", 5)],
    "min_by": [("ann", 2), ("ann", 3), ("ann", 3), ("bob", 1), ("bob", 5)],
    "max_by": [("ann", 3), ("ann", 4), ("ann", 4), ("bob", 5), ("bob", 5)],
}


@pytest.mark.parametrize("call", ROLLING)
def test_rolling_aggregates(orders, call):
    assert sorted(collected(getattr(orders.key_by(by_name), call)(1))) == ROLLING[call]


@pytest.mark.parametrize("function", [lambda a, b: a if a[1] >= b[1] else b, Larger()])
def test_reduce(orders, function):
    assert sorted(collected(orders.key_by(by_name).reduce(function))) == ROLLING["max_by"]


@pytest.mark.parametrize("mode", [RuntimeExecutionMode.BATCH, RuntimeExecutionMode.AUTOMATIC])
def test_a_batch_tells_only_the_last_value(env, orders, mode):
    env.set_runtime_mode(mode)
    assert sorted(collected(orders.key_by(by_name).sum(1))) == [("ann", 9), ("bob", 6)]


def test_a_key_that_can_not_be_hashed_names_the_record(orders):
    with pytest.raises(JobExecutionError, match=r"key of record .* of type dict, which has no canonical form"):
        collected(orders.map(lambda order: {"order": order}).key_by(lambda order: order).process(Totals()))


# -- several streams, spreading -----------------------------------------------------------------------------


def test_union(env, numbers):
    assert sorted(collected(numbers.union(env.from_sequence(7, 8), numbers.key_by(str)).map(lambda n: n))) == sorted(
        [*range(1, 7), *range(1, 7), 7, 8]
    )


class Where(ProcessFunction):
    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def process_element(self, value, ctx):
        yield self.subtask, value


class Parity(Partitioner):
    def partition(self, key, num_partitions):
        return key % num_partitions


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        (lambda stream: stream.shuffle(), 6),
        (lambda stream: stream.rebalance(), 6),
        (lambda stream: stream.rescale(), 6),
        (lambda stream: stream.forward(), 6),
        (lambda stream: stream.global_(), 6),
        (lambda stream: stream.broadcast(), 12),
        (lambda stream: stream.partition_custom(Parity(), lambda n: n), 6),
        (lambda stream: stream.key_by(lambda n: n).map(lambda n: n), 6),
    ],
)
def test_spreading_loses_nothing(numbers, spread, expected):
    results = collected(spread(numbers).process(Where()))
    assert len(results) == expected
    assert {value for _, value in results} == set(range(1, 7))


def test_everything_to_the_first_and_each_where_it_belongs(numbers):
    assert {subtask for subtask, _ in collected(numbers.global_().process(Where()))} == {0}
    chosen = collected(numbers.partition_custom(Parity(), lambda number: number).process(Where()))
    assert all(subtask == number % 2 for subtask, number in chosen)
    dealt = Counter(subtask for subtask, _ in collected(numbers.rebalance().process(Where())))
    assert dealt == {0: 3, 1: 3}


# -- time and windows ------------------------------------------------------------------------------------------

BY_SECOND = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda number, _: number * 1000)
THREE_SECONDS = TumblingEventTimeWindows.of(Duration.of_seconds(3))


class Stamped(ProcessFunction):
    def process_element(self, value, ctx):
        yield value, ctx.timestamp()


class Spans(ProcessWindowFunction):
    def process(self, key, context, elements):
        assert isinstance(context, ProcessWindowFunction.Context)
        yield key, context.window().start, sorted(elements)


class Sizes(WindowFunction):
    def apply(self, key, window, inputs):
        yield key, window.end, len(list(inputs))


class AllSpans(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield context.window().start, sorted(elements)


class AllSizes(AllWindowFunction):
    def apply(self, window, inputs):
        yield window.end, len(list(inputs))


@pytest.mark.parametrize(
    "make",
    [
        lambda env: env.from_collection([1, 2]).assign_timestamps_and_watermarks(BY_SECOND),
        lambda env: env.from_source(NumberSequenceSource(1, 2), BY_SECOND, "numbers"),
        lambda env: env.from_collection([1, 2]).key_by(str).assign_timestamps_and_watermarks(BY_SECOND),
    ],
)
def test_timestamps(env, make):
    assert sorted(collected(make(env).process(Stamped()))) == [(1, 1000), (2, 2000)]


@pytest.fixture
def timed(env):
    return env.from_collection([1, 2, 3, 4, 5, 6]).assign_timestamps_and_watermarks(BY_SECOND)


WINDOWED = {
    "reduce": (lambda w: w.reduce(max), [1, 2, 4, 5, 6]),
    "reduce and apply": (
        lambda w: w.reduce(max, Sizes()),
        [(0, 3000, 1), (0, 6000, 1), (0, 9000, 1), (1, 3000, 1), (1, 6000, 1)],
    ),
    "aggregate": (lambda w: w.aggregate(Mean()), [1.0, 2.0, 4.0, 4.0, 6.0]),
    "apply": (lambda w: w.apply(Sizes()), [(0, 3000, 1), (0, 6000, 1), (0, 9000, 1), (1, 3000, 1), (1, 6000, 2)]),
    "process": (
        lambda w: w.process(Spans()),
        [(0, 0, [2]), (0, 3000, [4]), (0, 6000, [6]), (1, 0, [1]), (1, 3000, [3, 5])],
    ),
    "sum": (lambda w: w.sum(), [1, 2, 4, 6, 8]),
    "max": (lambda w: w.max(), [1, 2, 4, 5, 6]),
    "min_by": (lambda w: w.min_by(), [1, 2, 3, 4, 6]),
}


@pytest.mark.parametrize("call", WINDOWED)
def test_windows_of_each_key(timed, call):
    build, expected = WINDOWED[call]
    assert sorted(collected(build(timed.key_by(lambda number: number % 2).window(THREE_SECONDS)))) == sorted(expected)


WINDOWED_ALL = {
    "reduce": (lambda w: w.reduce(max), [2, 5, 6]),
    "aggregate": (lambda w: w.aggregate(Mean(), AllSizes()), [(3000, 1), (6000, 1), (9000, 1)]),
    "apply": (lambda w: w.apply(AllSizes()), [(3000, 2), (6000, 3), (9000, 1)]),
    "process": (lambda w: w.process(AllSpans()), [(0, [1, 2]), (3000, [3, 4, 5]), (6000, [6])]),
    "sum": (lambda w: w.sum(), [3, 12, 6]),
}


@pytest.mark.parametrize("call", WINDOWED_ALL)
def test_windows_of_all_records(timed, call):
    build, expected = WINDOWED_ALL[call]
    assert sorted(collected(build(timed.window_all(THREE_SECONDS)))) == sorted(expected)


def test_triggers_and_evictors(env):
    windows = env.from_collection([1, 2, 3, 4]).window_all(GlobalWindows.create())
    fired = windows.trigger(CountTrigger.of(2)).evictor(CountEvictor.of(3)).process(Contents())
    assert collected(fired) == [[1, 2], [2, 3, 4]]


class AtOnce(WatermarkGenerator):
    """Lets event time follow every record at once."""

    def on_event(self, event, event_timestamp, output):
        output.emit_watermark(event_timestamp - 1)

    def on_periodic_emit(self, output):
        pass


class Contents(ProcessAllWindowFunction):
    def process(self, context, elements):
        yield list(elements)


def test_count_windows(env):
    numbers = env.from_collection([1, 2, 3, 4, 5])
    assert collected(numbers.count_window_all(2).sum()) == [3, 7]
    assert sorted(collected(numbers.key_by(lambda number: number % 2).count_window(2).sum())) == [4, 6]


def test_late_records_leave_sideways(env):
    late = OutputTag("late", Types.LONG())
    env.set_parallelism(1)
    numbers = env.from_collection([1, 9, 2, 10]).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_generator(AtOnce).with_timestamp_assigner(lambda number, _: number * 1000)
    )
    windowed = numbers.window_all(THREE_SECONDS).side_output_late_data(late).sum()
    assert collected(windowed) == [1, 19]
    assert collected(windowed.get_side_output(late)) == [2]


# -- sinks and the end of the job ---------------------------------------------------------------------------------


def test_print(env, capsys):
    env.from_collection([1, 2]).print()
    env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()])).print("pairs").set_parallelism(1)
    env.from_collection([Row("a", 1)], Types.ROW([Types.STRING(), Types.INT()])).print_to_err("rows").set_parallelism(1)
    env.execute()
    captured = capsys.readouterr()
    assert sorted(line[1:] for line in captured.out.splitlines()) == ["> 1", "> 2", "airs> (a,1)"]
    assert {line[0] for line in captured.out.splitlines()} == {"1", "2", "p"}
    assert captured.err == "rows> +I[a,1]\n"


class Store(SinkFunction):
    stored: ClassVar = []

    def __init__(self, name):
        self.name = name

    def open(self, runtime_context):
        self.subtask = runtime_context.get_index_of_this_subtask()

    def invoke(self, value, context):
        type(self).stored.append((self.name, value, context.timestamp(), context.current_watermark() < 0))
        assert context.current_processing_time() > 0

    def __reduce__(self):
        # By reference, so that the test sees what the job stored: both run in this process.
        return Store, (self.name,)


def test_add_sink(env):
    Store.stored.clear()
    stamped = env.from_source(NumberSequenceSource(1, 2), BY_SECOND, "numbers")
    stamped.add_sink(Store("plain"))
    stamped.key_by(str).add_sink(Store("keyed"))
    env.execute()
    assert sorted(Store.stored) == [
        ("keyed", 1, 1000, True),
        ("keyed", 2, 2000, True),
        ("plain", 1, 1000, True),
        ("plain", 2, 2000, True),
    ]


class Ledger(Sink, SupportsCommitter):
    committed: ClassVar = []

    def create_writer(self, context):
        return Page()

    def create_committer(self):
        return Bookkeeper()


class Bookkeeper(Committer):
    def commit(self, requests):
        Ledger.committed.extend(request.get_committable() for request in requests)


class Page(CommittingSinkWriter):
    def __init__(self):
        self.lines = []

    def write(self, element, context):
        self.lines.append(element)

    def prepare_commit(self):
        lines, self.lines = self.lines, []
        return lines


def test_sink_to(env, numbers):
    Ledger.committed.clear()
    numbers.sink_to(Ledger()).name("ledger").uid("ledger")
    env.execute()
    assert sorted(Ledger.committed) == [1, 2, 3, 4, 5, 6]


def test_collect_with_a_limit_ends_the_job(env):
    assert len(env.from_sequence(1, 10**12).execute_and_collect("endless", limit=5)) == 5
    assert env.from_collection([1]).execute_and_collect(limit=5) == [1]
    assert env.from_collection([1]).execute_and_collect(limit=0) == []


def test_the_user_functions_own_stack_trace_is_in_the_failure(env):
    def reciprocal(number):
        return 1 / (number - 3)

    with pytest.raises(JobExecutionError) as failure:
        collected(env.from_sequence(1, 6).map(reciprocal).name("reciprocals").uid("r"))
    message = str(failure.value)
    assert "operator 'reciprocals', uid=r" in message
    assert "record 3" in message
    assert "return 1 / (number - 3)" in message
    assert "ZeroDivisionError" in message


def test_execute_async_and_cancel(env):
    env.from_sequence(1, 10**12).map(lambda number: number)
    client = env.execute_async("endless")
    client.cancel().result(PATIENCE)
    assert client.get_job_execution_result().exception() is not None


def test_listeners_and_the_result(env):
    heard = []

    class Ears(JobListener):
        def on_job_submitted(self, job_client, error):
            heard.append(job_client.get_job_id())

        def on_job_executed(self, job_execution_result, error):
            heard.append(job_execution_result.get_job_id())

    env.register_job_listener(Ears())
    env.from_collection([1]).map(str)
    result = env.execute()
    assert heard == [result.get_job_id()] * 2
    assert result.get_net_runtime() >= 0


def test_text_from_a_file_and_from_a_socket(env, tmp_path):
    (tmp_path / "a.txt").write_text("to be\nor not\n")
    assert sorted(collected(env.read_text_file(str(tmp_path)).flat_map(str.split))) == ["be", "not", "or", "to"]
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"to be\nor not\n")

        thread = threading.Thread(target=serve)
        thread.start()
        assert collected(env.socket_text_stream("localhost", port)) == ["to be", "or not"]
        thread.join()
