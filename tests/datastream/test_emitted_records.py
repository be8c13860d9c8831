"""Each emitted record is what it was when it was emitted, wherever epochs are cut, and branches don't see each other.

In each program a function keeps an object, changes it and emits it again. Right is what it would be if each record
were looked at before the function goes on.
"""

from __future__ import annotations

from copy import deepcopy

import pytest

import flott.connectors.index_range as index_range_module
from flott.cep import CEP, Pattern
from flott.common import Configuration, Row, Types, WatermarkStrategy
from flott.common.io import InputFormat
from flott.common.time import Time
from flott.connectors.index_range import IndexRangeEnumerator
from flott.datastream import (
    AsyncDataStream,
    AsyncFunction,
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    OutputTag,
    ProcessFunction,
    ProcessWindowFunction,
    StreamExecutionEnvironment,
)
from flott.datastream.connectors.base import Source
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.datastream.functions import AggregateFunction, ProcessJoinFunction
from flott.datastream.state import MapStateDescriptor, ValueStateDescriptor
from flott.datastream.window import (
    CountEvictor,
    CountTrigger,
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from flott.runtime import native
from flott.runtime.batch import Batch

SIDE = OutputTag("side")
WHOLE, SINGLE = 10_000, 1


@pytest.fixture(params=["compiled", "pure"])
def twin(request, monkeypatch):
    if request.param == "pure":
        for name in ("calls", "emission", "records"):
            monkeypatch.setattr(native, name, None)
    elif native.emission is None:
        pytest.skip("not compiled")


@pytest.fixture(params=[WHOLE, SINGLE], ids=["one epoch", "small epochs"])
def env(request, twin, monkeypatch):
    monkeypatch.setattr(index_range_module, "RECORDS_PER_SUBTASK", request.param)
    return environment()


def environment(**settings):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    for name, value in settings.items():
        configuration.set_string(name.replace("__", ".").replace("_", "-"), value)
    return StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(1)


def collected(stream):
    return list(stream.execute_and_collect())


def one_key(_):
    return 0


def numbers(env, count=4):
    return env.from_collection(list(range(1, count + 1)))


def stamped(stream, stamp=lambda value, _: value):
    return stream.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(stamp)
    )


class Kept:
    """An object that a function keeps, changes and emits."""

    def __init__(self):
        self.total = {"n": 0, "all": []}

    def add(self, number):
        self.total["n"] += 1
        self.total["all"].append(number)
        return self.total


def totals(count=4):
    return [{"n": number, "all": list(range(1, number + 1))} for number in range(1, count + 1)]


# A batch whole is worked on in one epoch only: these functions keep their object in memory, not in state.


class KeepingMap(MapFunction, Kept):
    def map(self, value):
        return self.add(value)


def test_map():
    assert collected(numbers(environment()).map(KeepingMap())) == totals()


class Twice(FlatMapFunction):
    def flat_map(self, value):
        record = {"n": value}
        yield record
        record["n"] = -value
        yield record


def test_flat_map(env):
    assert collected(numbers(env, 2).flat_map(Twice())) == [{"n": 1}, {"n": -1}, {"n": 2}, {"n": -2}]


def test_flat_map_with_timestamps(env):
    assert collected(stamped(numbers(env, 2)).flat_map(Twice())) == [{"n": 1}, {"n": -1}, {"n": 2}, {"n": -2}]


class Everywhere(ProcessFunction):
    """Emits the same object to the main output and, in both ways, to a side output, and changes it in between."""

    def process_element(self, value, ctx):
        record = [value]
        yield record
        record.append("side")
        ctx.output(SIDE, record)
        record.append("again")
        yield SIDE, record
        record.clear()


@pytest.mark.parametrize("prepare", [lambda stream: stream, stamped], ids=["plain", "stamped"])
def test_process_and_side_outputs(env, prepare):
    main = prepare(numbers(env, 2)).process(Everywhere())
    both = main.map(lambda value: ("main", value)).union(main.get_side_output(SIDE).map(lambda value: ("side", value)))
    assert sorted(collected(both)) == [
        ("main", [1]),
        ("main", [2]),
        ("side", [1, "side"]),
        ("side", [1, "side", "again"]),
        ("side", [2, "side"]),
        ("side", [2, "side", "again"]),
    ]


class Clicks(KeyedProcessFunction):
    """Keeps an object in state; how it returns results is a parameter."""

    def __init__(self, empty, change, give=None):
        self.empty = empty
        self.change = change
        self.give = give

    def open(self, runtime_context):
        self.profile = runtime_context.get_state(ValueStateDescriptor("profile", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        profile = self.profile.value()
        if profile is None:
            profile = deepcopy(self.empty)
        self.change(profile, value)
        self.profile.update(profile)
        if self.give is None:
            yield profile
        else:
            yield from self.give(profile)


class ReturningClicks(Clicks):
    def process_element(self, value, ctx):
        [*_] = super().process_element(value, ctx)
        return self.give(self.profile.value())


def count_up(profile, value):
    profile["clicks"] += 1


CLICKS = [{"clicks": 1}, {"clicks": 2}, {"clicks": 3}, {"clicks": 4}]


@pytest.mark.parametrize("prepare", [lambda stream: stream, stamped], ids=["plain", "stamped"])
def test_values_in_state(env, prepare):
    assert collected(prepare(numbers(env)).key_by(one_key).process(Clicks({"clicks": 0}, count_up))) == CLICKS


@pytest.mark.parametrize("give", [lambda p: [p], lambda p: (p,), lambda p: iter([p])], ids=["list", "tuple", "iter"])
def test_results_returned_as(env, give):
    stream = numbers(env).key_by(one_key)
    assert collected(stream.process(ReturningClicks({"clicks": 0}, count_up, give))) == CLICKS


@pytest.mark.parametrize(
    ("empty", "change", "expected"),
    [
        ([], list.append, [[1], [1, 2], [1, 2, 3]]),
        (("all", []), lambda pair, value: pair[1].append(value), [("all", [1]), ("all", [1, 2]), ("all", [1, 2, 3])]),
        (Row(n=0), lambda row, value: row.set_field("n", value), [Row(n=1), Row(n=2), Row(n=3)]),
        (
            {"a": {"n": []}},
            lambda value, n: value["a"]["n"].append(n),
            [{"a": {"n": [*range(1, k)]}} for k in (2, 3, 4)],
        ),
        (bytearray(), bytearray.append, [bytearray([1]), bytearray([1, 2]), bytearray([1, 2, 3])]),
    ],
    ids=["list", "tuple with a list", "Row", "deep", "bytearray"],
)
def test_every_kind_of_object(env, empty, change, expected):
    assert collected(numbers(env, 3).key_by(one_key).process(Clicks(empty, change))) == expected


def test_behind_an_exchange(env):
    clicks = numbers(env).key_by(one_key).process(Clicks({"clicks": 0}, count_up))
    assert collected(clicks.rebalance().map(lambda record: record["clicks"])) == [1, 2, 3, 4]


class AtTimers(KeyedProcessFunction, Kept):
    def process_element(self, value, ctx):
        ctx.timer_service().register_event_time_timer(value)

    def on_timer(self, timestamp, ctx):
        yield self.add(timestamp)


def test_timers():
    assert collected(stamped(numbers(environment())).key_by(one_key).process(AtTimers())) == totals()


def add(one, other):
    one["n"] += other["n"]
    return one


def test_reduce(env):
    keyed = env.from_collection([{"n": 1}, {"n": 2}, {"n": 3}]).key_by(one_key)
    assert collected(keyed.reduce(add)) == [{"n": 1}, {"n": 3}, {"n": 6}]


class KeepingCoMap(CoMapFunction, Kept):
    def map1(self, value):
        return self.add(value)

    map2 = map1


class TwiceOfBoth(CoFlatMapFunction):
    def flat_map1(self, value):
        return Twice().flat_map(value)

    flat_map2 = flat_map1


class KeepingCoProcess(CoProcessFunction, Kept):
    def process_element1(self, value, ctx):
        yield self.add(value)

    def process_element2(self, value, ctx):
        return [self.add(value)]


class KeepingKeyedCoProcess(KeyedCoProcessFunction, Kept):
    def process_element1(self, value, ctx):
        yield self.add(value)

    def process_element2(self, value, ctx):
        return [self.add(value)]


def connected(env):
    return numbers(env).connect(env.from_collection([], Types.INT()))


@pytest.mark.usefixtures("twin")
def test_two_inputs():
    assert collected(connected(environment()).map(KeepingCoMap())) == totals()
    assert collected(connected(environment()).flat_map(TwiceOfBoth()))[:3] == [{"n": 1}, {"n": -1}, {"n": 2}]
    assert collected(connected(environment()).process(KeepingCoProcess())) == totals()
    keyed = connected(environment()).key_by(one_key, one_key)
    assert collected(keyed.process(KeepingKeyedCoProcess())) == totals()


class Rules(BroadcastProcessFunction, Kept):
    def process_element(self, value, ctx):
        yield self.add(value)

    def process_broadcast_element(self, value, ctx):
        record = [value]
        yield ["rule", record]
        record.append("changed")


class KeyedRules(KeyedBroadcastProcessFunction, Kept):
    process_element = Rules.process_element
    process_broadcast_element = Rules.process_broadcast_element


@pytest.mark.usefixtures("twin")
@pytest.mark.parametrize("keyed", [False, True])
def test_broadcast(keyed):
    env = environment()
    stream = numbers(env).key_by(one_key) if keyed else numbers(env)
    rules = env.from_collection([7, 8]).broadcast(MapStateDescriptor("rules", Types.INT(), Types.INT()))
    found = collected(stream.connect(rules).process(KeyedRules() if keyed else Rules()))
    assert [one for one in found if isinstance(one, dict)] == totals()
    assert [one for one in found if isinstance(one, list)] == [["rule", [7]], ["rule", [8]]]


class Lookup(AsyncFunction, Kept):
    async def async_invoke(self, value):
        return [self.add(value)]


@pytest.mark.parametrize("wait", [AsyncDataStream.ordered_wait, AsyncDataStream.unordered_wait])
def test_asynchronous_functions(wait):
    assert collected(wait(numbers(environment()), Lookup(), Time.seconds(10))) == totals()


class Gather(AggregateFunction):
    def create_accumulator(self):
        return []

    def add(self, value, accumulator):
        accumulator.append(value)
        return accumulator

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


def windowed(env, assigner=None, count=3):
    return stamped(numbers(env, count)).key_by(one_key).window(assigner or TumblingEventTimeWindows.of(Time.seconds(1)))


def test_an_aggregate_that_fires_early(env):
    early = windowed(env).trigger(CountTrigger.of(1)).aggregate(Gather())
    assert collected(early) == [[1], [1, 2], [1, 2, 3]]


def test_a_session_that_fires_for_late_records(env):
    late = stamped(env.from_collection([1, 5000, 2, 3]), lambda value, _: value)
    sessions = late.key_by(one_key).window(EventTimeSessionWindows.with_gap(Time.seconds(1))).allowed_lateness(10_000)
    found = collected(sessions.aggregate(Gather()))
    assert max(map(sorted, found), key=len) == [1, 2, 3]
    assert len(set(map(str, found))) == len(found)


class Elements(ProcessWindowFunction, Kept):
    def process(self, key, context, elements):
        record = list(elements)
        yield record
        record.append("changed")
        yield record


def test_window_functions(env):
    found = collected(windowed(env).process(Elements()))
    assert found == [[1, 2, 3], [1, 2, 3, "changed"]]
    evicting = windowed(environment()).evictor(CountEvictor.of(2))
    assert collected(evicting.process(Elements())) == [[2, 3], [2, 3, "changed"]]


def test_windows_that_share_their_first_record(env):
    sliding = SlidingEventTimeWindows.of(Time.milliseconds(4), Time.milliseconds(2))
    records = stamped(env.from_collection([{"n": n} for n in (1, 2, 3, 4)]), lambda value, _: value["n"])
    found = collected(records.key_by(one_key).window(sliding).reduce(add))
    assert found == [{"n": 1}, {"n": 6}, {"n": 9}, {"n": 4}]


def test_early_results_of_windows_that_share_their_first_record(env):
    sliding = SlidingEventTimeWindows.of(Time.milliseconds(4), Time.milliseconds(2))
    records = stamped(env.from_collection([{"n": n} for n in (2, 3)]), lambda value, _: value["n"])
    found = collected(records.key_by(one_key).window(sliding).trigger(CountTrigger.of(1)).reduce(add))
    assert found == [{"n": 2}, {"n": 2}, {"n": 5}, {"n": 5}]


class KeepingJoin(ProcessJoinFunction, Kept):
    def process_element(self, left, right, ctx):
        yield self.add(right)


def test_interval_joins():
    env = environment()
    left, right = (stamped(stream).key_by(one_key) for stream in (env.from_collection([1]), numbers(env)))
    join = left.interval_join(right).between(Time.milliseconds(0), Time.milliseconds(9))
    found = collected(join.process(KeepingJoin()))
    assert [record["n"] for record in found] == [1, 2, 3, 4]


def test_patterns():
    kept = Kept()
    pattern = Pattern.begin("any")
    found = CEP.pattern(stamped(numbers(environment())).key_by(one_key), pattern)
    assert collected(found.select(lambda match: kept.add(match["any"][0]))) == totals()


# Sources


def test_a_generator_that_returns_the_same_object():
    kept = Kept()
    source = DataGeneratorSource(lambda index: kept.add(index + 1), 4)
    stream = environment().from_source(source, WatermarkStrategy.no_watermarks(), "generator")
    assert collected(stream) == totals()


class Reusing(InputFormat):
    def create_input_splits(self, min_num_splits):
        return [4]

    def open(self, split):
        self.kept, self.left = Kept(), split

    def reached_end(self):
        return self.left == 0

    def next_record(self):
        self.left -= 1
        return self.kept.add(4 - self.left)


def test_an_input_format_that_returns_the_same_object():
    assert collected(environment().create_input(Reusing())) == totals()


class Caching(Source):
    """Reads its records once and returns the same objects for every read."""

    RECORDS = ({"n": 1}, {"n": 2})

    def is_bounded(self):
        return True

    def create_enumerator(self, parallelism):
        return IndexRangeEnumerator(0, 2, parallelism)

    def read(self, read):
        yield Batch(list(self.RECORDS[read.start : read.end]))


def test_a_function_does_not_change_what_a_source_keeps(env):
    stream = env.from_source(Caching(), WatermarkStrategy.no_watermarks(), "caching")
    assert collected(stream.map(lambda record: add(record, {"n": 10}))) == [{"n": 11}, {"n": 12}]
    assert Caching.RECORDS == ({"n": 1}, {"n": 2})


def test_an_object_that_is_in_a_collection_twice_is_two_records(env):
    record = {"n": 1}
    stream = env.from_collection([record, record, record])
    assert collected(stream.map(lambda record: add(record, {"n": 10}))) == [{"n": 11}] * 3


# Branches


def changed(record):
    record.append("changed")
    return tuple(record)


@pytest.mark.parametrize("order", [(changed, tuple), (tuple, changed)], ids=["first", "last"])
def test_branches_do_not_see_each_others_changes(env, order):
    records = numbers(env, 2).map(lambda n: [n])
    one, other = (records.map(branch) for branch in order)
    assert sorted(collected(one.union(other)), key=str) == [(1, "changed"), (1,), (2, "changed"), (2,)]


def test_a_branch_does_not_change_what_waits_for_an_exchange(env):
    records = numbers(env, 2).map(lambda n: [n])
    one, other = records.rebalance().map(tuple), records.map(changed)
    assert sorted(collected(one.union(other)), key=str) == [(1, "changed"), (1,), (2, "changed"), (2,)]


def test_branches_of_a_side_output(env):
    side = numbers(env, 2).process(Everywhere()).get_side_output(SIDE)
    one, other = side.map(lambda record: ("one", changed(record))), side.map(lambda record: ("other", tuple(record)))
    found = collected(one.union(other))
    assert sorted(record for branch, record in found if branch == "other") == sorted(
        record[:-1] for branch, record in found if branch == "one"
    )


def test_branches_of_a_filter_and_of_timestamps(env):
    records = stamped(numbers(env, 2).map(lambda n: [n]), lambda value, _: value[0]).filter(bool)
    one, other = records.map(changed), records.map(tuple)
    assert sorted(collected(one.union(other)), key=str) == [(1, "changed"), (1,), (2, "changed"), (2,)]


# The option


@pytest.mark.usefixtures("twin")
def test_with_object_reuse_functions_hand_on_the_same_object():
    env = environment(pipeline__object_reuse="true")
    assert collected(numbers(env).map(KeepingMap())) == totals()[-1:] * 4
    records = numbers(environment(pipeline__object_reuse="true"), 1).map(lambda n: [n])
    one, other = records.map(changed), records.map(changed)
    assert sorted(collected(one.union(other)), key=len) == [(1, "changed"), (1, "changed", "changed")]


class Locked(Caching):
    RECORDS = (memoryview(b"one"), memoryview(b"two"))


@pytest.mark.usefixtures("twin")
def test_a_source_whose_records_cannot_be_copied_is_named():
    with pytest.raises(Exception, match=r"'Source: views'.*memoryview can't be copied"):
        collected(environment().from_source(Locked(), WatermarkStrategy.no_watermarks(), "views"))


@pytest.mark.usefixtures("twin")
def test_an_object_that_cannot_be_copied_is_refused_by_name():
    with pytest.raises(Exception, match=r"(?s)'to generators'.*generator can't be copied.*pipeline.object-reuse"):
        collected(numbers(environment()).map(lambda n: (n for _ in "ab")).name("to generators").flat_map(list))
