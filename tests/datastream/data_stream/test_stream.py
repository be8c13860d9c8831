from __future__ import annotations

import threading

import pytest

from flott.common import Duration, Row, Types, WatermarkStrategy
from flott.common.watermark_strategy import AssignerWithPeriodicWatermarksWrapper
from flott.datastream import (
    FlatMapFunction,
    KeyedProcessFunction,
    KeyedStream,
    OutputTag,
    ProcessFunction,
    StreamExecutionEnvironment,
)
from flott.errors import GraphError


class Words(FlatMapFunction):
    def flat_map(self, value):
        yield from value.split()


class Through(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


class ThroughKeyed(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


@pytest.fixture
def numbers(env):
    return env.from_sequence(1, 9)


def lines(env):
    return str(env.get_stream_graph()).replace("\N{MULTIPLICATION SIGN}", "x").splitlines()


def test_names_are_pyflinks(env, numbers):
    numbers.map(str).flat_map(Words()).filter(bool).process(Through()).print()
    assert lines(env) == [
        "1 Source: Sequence Source x2",
        "2 Map x2 ← 1 FORWARD",
        "3 FlatMap x2 ← 2 FORWARD",
        "4 Filter x2 ← 3 FORWARD",
        "5 PROCESS x2 ← 4 FORWARD",
        "6 Sink: Print to Std. Out x2 ← 5 FORWARD",
    ]


def test_keyed_names_are_pyflinks(env, numbers):
    keyed = numbers.key_by(lambda number: number % 2)
    keyed.process(ThroughKeyed())
    keyed.reduce(max)
    keyed.sum()
    assert lines(env)[1:] == ["3 KEYED PROCESS x2 ← 1 HASH", "4 Reduce x2 ← 1 HASH", "5 Reduce x2 ← 1 HASH"]


def test_types_follow_the_steps(numbers):
    assert numbers.get_type() == Types.LONG()
    assert numbers.filter(bool).get_type() == Types.LONG()
    assert numbers.map(str).get_type() == Types.PICKLED_BYTE_ARRAY()
    assert numbers.map(str, Types.STRING()).get_type() == Types.STRING()
    assert numbers.map(str, [Types.STRING()]).get_type() == Types.ROW([Types.STRING()])
    assert numbers.key_by(str, Types.STRING()).get_key_type() == Types.STRING()
    assert numbers.key_by(str).reduce(max).get_type() == Types.LONG()
    assert numbers.process(Through(), Types.LONG()).rebalance().get_type() == Types.LONG()


def test_a_stream_knows_its_environment(env, numbers):
    assert numbers.get_execution_environment() is env
    assert numbers.get_execution_config().get_parallelism() == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda s: s.map(lambda a, b: a), r"map\(...\): <lambda> \(test_stream.py:\d+\) takes \(a, b\)"),
        (lambda s: s.map(Words()), r"belongs in flat_map\(...\)"),
        (lambda s: s.map(str, Types.STRING), r"map\(...\): .*\(with parentheses\)"),
        (lambda s: s.flat_map(7), "here goes a FlatMapFunction object or a callable"),
        (lambda s: s.filter(Words), "the class Words itself"),
        (lambda s: s.process(ThroughKeyed()), r"a KeyedProcessFunction, which belongs in .*key_by\(...\).process"),
        (lambda s: s.process(str), "here goes a ProcessFunction object"),
        (lambda s: s.key_by("user"), "'user' .* does not fit"),
        (lambda s: s.key_by(str).process(Through()), "a ProcessFunction, which belongs in .* not keyed"),
        (lambda s: s.key_by(str).reduce(abs), r"reduce\(...\): abs takes"),
        (lambda s: s.key_by(str).sum(1.5), "a field is a position or a name"),
        (lambda s: s.key_by(str).min_by(None), "a field is a position or a name"),
        (lambda s: s.union(3), "3 is no DataStream"),
        (lambda s: s.connect(3), "3 is neither"),
        (lambda s: s.get_side_output("late"), r"give the OutputTag"),
        (lambda s: s.key_by(str).get_side_output(OutputTag("late")), "a keyed stream is no operator"),
        (lambda s: s.assign_timestamps_and_watermarks(5), "5 is no WatermarkStrategy"),
        (lambda s: s.add_sink(print), "here goes a SinkFunction object"),
        (lambda s: s.sink_to(print), "is no Sink"),
    ],
)
def test_wrong_use_fails_while_the_graph_is_built(numbers, build, message):
    with pytest.raises(GraphError, match=message):
        build(numbers)


def test_a_function_that_can_not_travel_is_refused(numbers):
    lock = threading.Lock()
    with pytest.raises(GraphError, match=r"map\(...\).*holds a lock: variable 'lock' around it"):
        numbers.map(lambda value: lock and value)


def test_a_timestamp_assigner_takes_two_arguments(numbers):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda record: record)
    with pytest.raises(GraphError, match=r"called with \(value, record_timestamp\)"):
        numbers.assign_timestamps_and_watermarks(strategy)


def test_timestamps_the_former_way(env, numbers):
    class Newest:
        def extract_timestamp(self, value, record_timestamp):
            return value

        def get_current_watermark(self):
            return None

    numbers.assign_timestamps_and_watermarks(AssignerWithPeriodicWatermarksWrapper(Newest()))
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(1))
    assert numbers.assign_timestamps_and_watermarks(strategy).get_type() == Types.LONG()
    assert lines(env)[1:] == [
        "2 Timestamps/Watermarks x2 ← 1 FORWARD",
        "3 Timestamps/Watermarks x2 ← 1 FORWARD",
    ]


# -- keys ------------------------------------------------------------------------------------------------


def test_keys_of_a_known_collection_are_tried(env):
    orders = env.from_collection([{"user": "ann", "tags": ["new"], "more": {}}])
    for stream in (orders, orders.rebalance()):
        with pytest.raises(
            GraphError, match=r"key_by\(...\): .*: the key of record .* of type dict, which has no canonical"
        ):
            stream.key_by(lambda order: order["more"])
    assert isinstance(orders.key_by(lambda order: order["tags"]), KeyedStream)
    assert isinstance(orders.key_by(lambda order: order["user"]), KeyedStream)


def test_keys_of_unknown_records_are_left_to_the_workers(numbers):
    assert isinstance(numbers.map(str).key_by(list), KeyedStream)


def test_keying_again_forgets_the_first_key(env, numbers):
    numbers.key_by(str).key_by(lambda number: number % 2).reduce(max)
    [edge] = env.get_stream_graph().edges
    assert edge.partitioner.key_selector(7) == 1


def test_a_keyed_operator_knows_its_selector(numbers):
    keyed = numbers.key_by(str)
    assert keyed.get_key_selector() is str
    assert keyed.reduce(max).get_transformation().key_selectors == (str,)
    assert keyed.map(str).get_transformation().key_selectors == ()


# -- several streams ---------------------------------------------------------------------------------------


def test_union(env, numbers):
    numbers.union(env.from_sequence(1, 2), numbers.key_by(str)).map(str)
    assert lines(env)[-1] == "5 Map x2 ← 1 FORWARD ← 2 FORWARD ← 1 FORWARD"


def test_union_needs_one_type(numbers):
    with pytest.raises(GraphError, match="one has Long and another PickledByteArrayTypeInfo"):
        numbers.union(numbers.map(str))


def test_streams_of_different_environments_do_not_mix(numbers):
    stranger = StreamExecutionEnvironment.get_execution_environment().from_sequence(1, 2)
    for mix in (numbers.union, numbers.connect):
        with pytest.raises(GraphError, match="different environments"):
            mix(stranger)


def test_side_outputs_have_their_own_type(env, numbers):
    main = numbers.process(Through())
    late = OutputTag("late", Types.LONG())
    assert main.get_side_output(late).get_type() == Types.LONG()
    main.get_side_output(late).map(str)
    assert lines(env)[-1] == "5 Map x2 ← 2[late] FORWARD"
    with pytest.raises(GraphError, match="a tag stands for one type"):
        main.get_side_output(OutputTag("late", Types.STRING()))


# -- fields --------------------------------------------------------------------------------------------------


def test_project_needs_positions_of_a_tuple(env):
    pairs = env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()]))
    assert pairs.project(1).get_type() == Types.TUPLE([Types.INT()])
    assert pairs.key_by(lambda pair: pair[0]).project(1, 0).get_name() == "Projection"
    for fields in [(), (2,), (-1,), ("a",)]:
        with pytest.raises(GraphError, match="positions from 0 to 1"):
            pairs.project(*fields)
    with pytest.raises(GraphError, match="only a stream of tuples"):
        env.from_collection([Row("a")], Types.ROW([Types.STRING()])).project(0)


def test_a_keyed_stream_is_not_cached(numbers):
    with pytest.raises(GraphError, match=r"cache\(\) on a keyed stream"):
        numbers.key_by(str).cache()
