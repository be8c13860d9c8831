from __future__ import annotations

import json
import sys
from concurrent.futures import CancelledError
from types import SimpleNamespace

import pytest

from flott.common import CompletableFuture, Configuration, JobExecutionResult, JobID
from flott.datastream import JobListener, RuntimeExecutionMode, StreamExecutionEnvironment
from flott.datastream.stream_execution_environment.targets import TARGETS
from flott.errors import ConfigurationError, FlottError, GraphError, JobCanceledError, JobExecutionError
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.rolling import RollingReduce

RESULT = JobExecutionResult(JobID(), 12)


class Client:
    def __init__(self, outcome):
        self.outcome = outcome
        self.cancelled = False

    def get_job_id(self):
        return "job-1"

    def cancel(self):
        self.cancelled = True
        return CompletableFuture.completed_future(None)

    def get_job_execution_result(self):
        return SimpleNamespace(result=self._result)

    def _result(self):
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


@pytest.fixture
def submitted(monkeypatch):
    """A target that only remembers what it was given; set its ``outcome``, or an ``error`` of the submission."""
    target = SimpleNamespace(outcome=RESULT, error=None, jobs=[])

    def submit(program, configuration):
        if target.error is not None:
            raise target.error
        target.client = Client(target.outcome)
        target.jobs.append((program, configuration))
        return target.client

    monkeypatch.setitem(sys.modules, "remembering_target", SimpleNamespace(submit=submit))
    monkeypatch.setitem(TARGETS, "remembering", "remembering_target")
    return target


@pytest.fixture
def env():
    configuration = (
        Configuration().set_string("flott.execution.target", "remembering").set_integer("parallelism.default", 2)
    )
    return StreamExecutionEnvironment.get_execution_environment(configuration)


def test_a_program_says_all_that_shapes_the_graph(env):
    env.set_max_parallelism(64).set_buffer_timeout(7).disable_operator_chaining()
    env.get_config().set_global_job_parameters({"limit": 5}).disable_auto_generated_uids()
    env.from_sequence(1, 2).print()
    program = env.program("mine")
    assert (program.name, program.parallelism, program.max_parallelism) == ("mine", 2, 64)
    assert (program.buffer_timeout, program.chaining_enabled, program.auto_generated_uids) == (7, False, False)
    assert program.parameters == {"limit": "5"}
    assert [step.name for step in program.transformations] == ["Print to Std. Out"]


def test_a_program_without_settings_has_flinks_defaults(env):
    env.from_sequence(1, 2).print()
    program = env.program()
    assert (program.name, program.max_parallelism, program.chaining_enabled) == ("Flott Streaming Job", None, True)
    assert (program.buffer_timeout, program.auto_generated_uids, program.parameters) == (100, True, {})


def test_execute_submits_the_program_with_a_copy_of_the_configuration(env, submitted):
    env.from_sequence(1, 2).print()
    assert env.execute("mine") is RESULT
    [(program, configuration)] = submitted.jobs
    assert program.name == "mine"
    configuration.set_integer("parallelism.default", 9)
    assert env.get_parallelism() == 2


def test_after_an_execution_the_next_program_begins(env, submitted):
    numbers = env.from_sequence(1, 2)
    numbers.print()
    env.execute()
    with pytest.raises(GraphError, match="nothing to execute: no operator was added"):
        env.execute()
    numbers.map(str)
    env.execute_async()
    assert [[step.name for step in program.transformations] for program, _ in submitted.jobs] == [
        ["Print to Std. Out"],
        ["Map"],
    ]


def test_a_wrong_graph_is_not_submitted(env, submitted):
    env.from_sequence(1, 9).set_parallelism(3).forward().map(str)
    with pytest.raises(GraphError, match="forward"):
        env.execute()
    assert submitted.jobs == []


@pytest.mark.parametrize(
    ("failure", "raised", "message"),
    [
        (FlottError("it broke"), JobExecutionError, "^it broke$"),
        (JobExecutionError("it broke"), JobExecutionError, "^it broke$"),
        (ValueError("oh"), JobExecutionError, "job job-1 failed: ValueError: oh"),
        (JobCanceledError("stopped"), JobCanceledError, "stopped"),
        (CancelledError(), JobCanceledError, "job job-1 was cancelled"),
    ],
)
def test_a_failure_of_the_job_is_raised(env, submitted, failure, raised, message):
    submitted.outcome = failure
    env.from_sequence(1, 2).print()
    with pytest.raises(raised, match=message):
        env.execute()


def test_ctrl_c_cancels_the_job(env, submitted):
    submitted.outcome = KeyboardInterrupt()
    env.from_sequence(1, 2).print()
    with pytest.raises(KeyboardInterrupt):
        env.execute()
    assert submitted.client.cancelled


def test_an_unknown_target_is_refused(env):
    env.get_configuration().set_string("flott.execution.target", "the moon")
    env.from_sequence(1, 2).print()
    with pytest.raises(ConfigurationError, match="'the moon'; known targets are in-process, spark"):
        env.execute()


class Diary(JobListener):
    def __init__(self):
        self.entries = []

    def on_job_submitted(self, job_client, error):
        self.entries.append(("submitted", job_client is not None, str(error)))

    def on_job_executed(self, job_execution_result, error):
        self.entries.append(("executed", job_execution_result is RESULT, str(error)))


def test_listeners_hear_of_success_and_failure(env, submitted):
    diary = Diary()
    env.register_job_listener(diary)
    assert env.get_job_listeners() == [diary]
    numbers = env.from_sequence(1, 2)
    numbers.print()
    env.execute()
    submitted.outcome = JobExecutionError("it broke")
    numbers.print()
    with pytest.raises(JobExecutionError):
        env.execute()
    submitted.error = FlottError("no room")
    numbers.print()
    with pytest.raises(FlottError):
        env.execute_async()
    assert diary.entries == [
        ("submitted", True, "None"),
        ("executed", True, "None"),
        ("submitted", True, "None"),
        ("executed", False, "it broke"),
        ("submitted", False, "no room"),
    ]
    env.clear_job_listeners()
    assert env.get_job_listeners() == []
    with pytest.raises(GraphError, match="derived from JobListener"):
        env.register_job_listener(print)


def test_the_plan_is_flinks_json_and_leaves_the_program_alone(env):
    env.from_sequence(1, 2).map(str).print()
    nodes = json.loads(env.get_execution_plan())["nodes"]
    assert [node["type"] for node in nodes] == ["Source: Sequence Source", "Map", "Sink: Print to Std. Out"]
    assert len(env.get_transformations()) == 2
    env.get_stream_graph(clear_transformations=True)
    assert env.get_transformations() == []


def test_closing_forgets_what_was_built(env):
    with env:
        env.from_sequence(1, 2).print()
    assert env.get_transformations() == []


# -- batch mode --------------------------------------------------------------------------------------------


def reduce_operator(env, mode, source):
    env.set_runtime_mode(mode)
    source.key_by(str).reduce(max)
    return env.program().transformations[-1].operator


def test_streaming_tells_every_value(env):
    assert isinstance(reduce_operator(env, RuntimeExecutionMode.STREAMING, env.from_sequence(1, 2)), RollingReduce)


@pytest.mark.parametrize("mode", [RuntimeExecutionMode.BATCH, RuntimeExecutionMode.AUTOMATIC])
def test_a_bounded_batch_tells_only_the_last_value(env, mode):
    assert isinstance(reduce_operator(env, mode, env.from_sequence(1, 2)), KeyedProcess)


def test_the_mode_may_change_before_the_next_run(env):
    reduced = env.from_sequence(1, 2).key_by(str).reduce(max)
    kinds = []
    for mode in (RuntimeExecutionMode.BATCH, RuntimeExecutionMode.STREAMING, RuntimeExecutionMode.AUTOMATIC):
        kinds.append(type(env.set_runtime_mode(mode).program().transformations[-1].operator))
        assert type(reduced.get_transformation().operator) is RollingReduce, "the program stays as it was built"
    assert kinds == [KeyedProcess, RollingReduce, KeyedProcess]


def test_automatic_streams_what_never_ends(env):
    source = env.socket_text_stream("localhost", 9999)
    assert isinstance(reduce_operator(env, RuntimeExecutionMode.AUTOMATIC, source), RollingReduce)


def test_what_never_ends_is_no_batch(env):
    with pytest.raises(GraphError, match=r"'Socket Stream'.*never ends, so the program can't run in BATCH mode"):
        reduce_operator(env, RuntimeExecutionMode.BATCH, env.socket_text_stream("localhost", 9999))
