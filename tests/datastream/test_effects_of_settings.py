"""What the settings of a program change: two values of each, and the two results."""

from __future__ import annotations

import os

import pytest
from tests.waiting import PATIENCE, wait_until

from flott.common import Configuration, WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.datastream.functions import ProcessFunction, RuntimeContext
from flott.errors import FlottError
from flott.metrics.flink_json import metrics_json

pytestmark = pytest.mark.job


def environment(settings):
    settings = settings.clone().set_string("flott.execution.target", "in-process")
    if not settings.contains_key("parallelism.default"):
        settings.set_string("parallelism.default", "1")
    return StreamExecutionEnvironment.get_execution_environment(settings)


def refused_or(look):
    def seen(settings, root):
        try:
            return look(settings, root)
        except FlottError as error:
            return type(error).__name__

    return seen


def vertices(settings, _):
    env = environment(settings)
    env.from_sequence(1, 4).map(lambda n: n).print()
    client = env.execute_async()
    client.get_job_execution_result().result(PATIENCE)
    return [vertex.parallelism for vertex in client.master.plan.vertices]


def name_of_job(settings, _):
    env = environment(settings)
    env.from_collection([1]).print()
    return env.program().name


def key_groups(settings, _):
    env = environment(settings)
    env.from_collection([1]).key_by(lambda n: n).sum().print()
    client = env.execute_async()
    client.get_job_execution_result().result(PATIENCE)
    return client.master.plan.vertices[-1].max_parallelism


class SeesTime(ProcessFunction):
    def process_element(self, value, ctx):
        yield ctx.timer_service().current_watermark() > 0


def sees_watermarks(settings, _):
    env = environment(settings)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda value, _: value)
    stream = env.from_sequence(1, 5_000).assign_timestamps_and_watermarks(strategy)
    return any(stream.process(SeesTime()).execute_and_collect())


def runs_without_uids(settings, _):
    env = environment(settings)
    env.from_collection([1]).map(lambda n: n).print()
    env.execute()
    return "runs"


class Parameter(ProcessFunction):
    def open(self, runtime_context: RuntimeContext):
        self.limit = runtime_context.get_job_parameter("limit", "none")

    def process_element(self, value, ctx):
        yield self.limit


def parameter(settings, _):
    return list(environment(settings).from_collection([1]).process(Parameter()).execute_and_collect())


def changes_are_shared(settings, _):
    def changed(record):
        record.append("changed")
        return tuple(record)

    records = environment(settings).from_collection([1]).map(lambda n: [n])
    return max(map(len, records.map(changed).union(records.map(changed)).execute_and_collect()))


def rolling(settings, _):
    return list(environment(settings).from_collection([1, 2, 3]).key_by(lambda n: 0).sum().execute_and_collect())


def latency_target(settings, _):
    env = environment(settings)
    env.from_collection([1]).print()
    client = env.execute_async()
    client.get_job_execution_result().result(PATIENCE)
    return client.master.settings.buffer_timeout


def measures_latency(settings, _):
    env = environment(settings)
    env.from_collection([1]).print()
    client = env.execute_async()
    client.get_job_execution_result().result(PATIENCE)
    return any(one["id"].startswith("latency.") for one in metrics_json(client.master.metrics))


def slow(env):
    source = DataGeneratorSource(lambda n: n, 10**9, RateLimiterStrategy.per_second(100))
    return env.from_source(source, WatermarkStrategy.no_watermarks(), "slow").filter(lambda _: False)


def kept(settings, root):
    """Where checkpoints are, below the directory of the case."""
    os.chdir(root)
    settings = settings.clone().set_string("execution.checkpointing.interval", "1 ms")
    env = environment(settings)
    slow(env).print()
    client = env.execute_async()
    wait_until("a checkpoint", lambda: client.master.checkpoints.latest)
    found = sorted({path.relative_to(root).parts[0] for path in root.rglob("_metadata")})
    client.cancel().result(PATIENCE)
    return found


def synced(settings, root):
    calls = []
    sync = os.fsync
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: calls.append(handle) or sync(handle))
        kept(settings, root)
    return bool(calls)


def savepoint(settings, root):
    os.chdir(root)
    env = environment(settings)
    slow(env).print()
    client = env.execute_async()
    client.trigger_savepoint().result(PATIENCE)
    client.cancel().result(PATIENCE)
    return sorted({path.relative_to(root).parts[0] for path in root.rglob("_metadata")})


CASES = {
    "parallelism.default": ({}, vertices, ("1", [1]), ("3", [3])),
    "pipeline.name": ({}, name_of_job, ("one", "one"), ("two", "two")),
    "pipeline.max-parallelism": ({}, key_groups, ("16", 16), ("-1", 128)),
    "pipeline.auto-watermark-interval": ({}, sees_watermarks, ("200 ms", True), ("0 ms", False)),
    "pipeline.auto-generate-uids": ({}, refused_or(runs_without_uids), ("true", "runs"), ("false", "GraphError")),
    "pipeline.operator-chaining.enabled": ({}, vertices, ("true", [1]), ("false", [1, 1, 1])),
    "python.operator-chaining.enabled": ({}, vertices, ("true", [1]), ("false", [1, 1, 1])),
    "pipeline.global-job-parameters": ({}, parameter, ("limit:5", ["5"]), ("other:5", ["none"])),
    "pipeline.object-reuse": ({}, changes_are_shared, ("false", 2), ("true", 3)),
    "execution.runtime-mode": ({}, rolling, ("STREAMING", [1, 3, 6]), ("BATCH", [6])),
    "execution.buffer-timeout.interval": ({}, latency_target, ("20 ms", 20), ("30 ms", 30)),
    "execution.buffer-timeout.enabled": ({}, latency_target, ("true", 100), ("false", 2_000)),
    "metrics.latency.interval": ({}, measures_latency, ("0 ms", False), ("5 ms", True)),
    "execution.checkpointing.dir": ({}, kept, ("one", ["one"]), ("two", ["two"])),
    "execution.checkpointing.storage": (
        {"execution.checkpointing.dir": "files"},
        kept,
        ("filesystem", ["files"]),
        ("jobmanager", []),
    ),
    "flott.checkpoint.fsync": ({"execution.checkpointing.dir": "one"}, synced, ("true", True), ("false", False)),
    "execution.checkpointing.savepoint-dir": ({}, savepoint, ("one", ["one"]), ("two", ["two"])),
}


@pytest.mark.parametrize("key", CASES)
def test_two_values_two_results(key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    around, look, *values = CASES[key]
    seen = []
    for number, (value, _) in enumerate(values):
        root = tmp_path / str(number)
        root.mkdir()
        seen.append(look(Configuration.from_dict({**around, key: value}), root))
    assert seen == [result for _, result in values]
    assert seen[0] != seen[1]
