"""Bytes that functions write themselves: of a subtask and of key groups, over failures and other parallelism."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.failing_jobs import FailsAt, environment, lines, small_epochs, text_sink
from tests.waiting import PATIENCE

from flott.common import WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import CheckpointedFunction, KeyedProcessFunction, MapFunction
from flott.errors import StateAccessError
from flott.runtime.keys import groups_of_subtask, key_group_of
from flott.runtime.operators.checkpointed import SnapshotContext
from flott.runtime.state.operator_state import OperatorStates
from flott.runtime.state.raw_state import KeyedRawStateOutput
from flott.runtime.state.redistribute import redistribute

GROUPS = 128


class Seen(MapFunction, CheckpointedFunction):
    """Keeps every number it has seen as raw bytes of the subtask, a partition for each."""

    def initialize_state(self, context):
        self.seen = [part.read() for part in context.get_raw_operator_state_inputs()]
        assert context.is_restored() or not self.seen

    def snapshot_state(self, context):
        out = context.get_raw_operator_state_output()
        for one in self.seen:
            out.start_new_partition()
            out.write(one)

    def map(self, value):
        self.seen.append(b"%d" % value)
        return value


class Counted(KeyedProcessFunction, CheckpointedFunction):
    """Counts by key, in raw bytes of key groups."""

    def initialize_state(self, context):
        self.counts = {}
        for group, stream in context.get_raw_keyed_state_inputs():
            for line in stream.read().decode().splitlines():
                key, count = line.split("=")
                assert key_group_of(int(key), GROUPS) == group
                self.counts[int(key)] = int(count)

    def snapshot_state(self, context):
        out = context.get_raw_keyed_operator_state_output()
        for group in out.get_key_group_list():
            mine = [key for key in self.counts if key_group_of(key, GROUPS) == group]
            if mine:
                out.start_new_key_group(group)
                out.write("".join(f"{key}={self.counts[key]}\n" for key in mine).encode())

    def process_element(self, value, ctx):
        key = ctx.get_current_key()
        self.counts[key] = self.counts.get(key, 0) + 1
        yield f"{key} {self.counts[key]}"


def build(env, out, fails=(), rate=None):
    limit = RateLimiterStrategy.no_op() if rate is None else RateLimiterStrategy.per_second(rate)
    source = DataGeneratorSource(lambda index: index, 2_000, limit)
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers").uid("numbers")
    seen = numbers.map(FailsAt(*fails)).uid("fails").map(Seen()).uid("seen")
    counted = seen.key_by(lambda n: n % 11).process(Counted()).uid("counted")
    counted.sink_to(text_sink(out)).uid("out")


EXPECTED = sorted(f"{key} {number}" for key in range(11) for number in range(1, len(range(key, 2_000, 11)) + 1))


@pytest.mark.job
def test_after_a_failure_it_is_that_of_the_checkpoint(tmp_path, monkeypatch):
    small_epochs(monkeypatch)
    env = environment()
    build(env, tmp_path / "out", fails=(700, 1_500))
    env.execute("raw")
    assert lines(tmp_path / "out") == EXPECTED


@pytest.mark.job
@pytest.mark.parametrize("after", [1, 3, 5])
def test_a_savepoint_restores_it_with_other_parallelism(tmp_path, monkeypatch, after):
    small_epochs(monkeypatch)
    env = environment()
    build(env, tmp_path / "out", rate=1_000)
    path = env.execute_async("raw").stop_with_savepoint(False, str(tmp_path / "savepoints")).result(PATIENCE)
    env = environment(None, after, **{"execution.state-recovery.path": path})
    build(env, tmp_path / "out")
    env.execute("raw")
    assert lines(tmp_path / "out") == EXPECTED


@given(st.integers(1, 7), st.integers(1, 7), st.sampled_from([128, 10]), st.data())
def test_each_partition_and_each_key_group_has_one_owner(before, after, max_parallelism, data):
    former = []
    for subtask in range(before):
        mine = groups_of_subtask(subtask, before, max_parallelism)
        groups = data.draw(st.sets(st.sampled_from(list(mine)))) if mine else set()
        partitions = data.draw(st.integers(0, 3))
        raw = [b"%d-%d" % (subtask, number) for number in range(partitions)]
        former.append(OperatorStates(raw=raw, raw_keyed={group: b"%d" % group for group in groups}))
    found = redistribute(former, after, max_parallelism)
    assert sorted(one for states in found for one in states.raw) == sorted(one for s in former for one in s.raw)
    for subtask, states in enumerate(found):
        assert set(states.raw_keyed) <= set(groups_of_subtask(subtask, after, max_parallelism))
    assert sum(len(states.raw_keyed) for states in found) == sum(len(states.raw_keyed) for states in former)
    sizes = [len(states.raw) for states in found]
    assert before == after or max(sizes) - min(sizes) <= 1


def test_wrong_use_is_explained():
    out = KeyedRawStateOutput("operator 'x'", range(4, 8))
    with pytest.raises(StateAccessError, match=r"start_new_key_group\(\.\.\.\) first"):
        out.write(b"x")
    with pytest.raises(StateAccessError, match="key group 9 is not of this subtask, which has 4 to 7"):
        out.start_new_key_group(9)
    out.start_new_key_group(5)
    with pytest.raises(StateAccessError, match="key group 5 was begun before"):
        out.start_new_key_group(5)
    with pytest.raises(StateAccessError, match="raw keyed state is for functions on a keyed stream"):
        SnapshotContext(1, 0).get_raw_keyed_operator_state_output()
