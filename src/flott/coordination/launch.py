"""From a program to a running job: compile, find what it starts from, set up the driver's parts, start the loop."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from flott.common.options import ExecutionOptions, FlottOptions, PipelineOptions, RestOptions
from flott.coordination.alignment import SourceAlignment
from flott.coordination.cancellation import CancellationSettings
from flott.coordination.check_settings import check_settings
from flott.coordination.checkpoints.coordinator import CheckpointCoordinator
from flott.coordination.checkpoints.orphans import remove_orphans
from flott.coordination.checkpoints.settings import CheckpointSettings
from flott.coordination.checkpoints.storage import DirectoryCheckpointStorage, MemoryCheckpointStorage
from flott.coordination.client import DriverJobClient
from flott.coordination.job_end import give_back
from flott.coordination.job_master import JobMaster
from flott.coordination.job_settings import JobSettings
from flott.coordination.latency_target import latency_target
from flott.coordination.log_lines import enter_job, set_up_logging
from flott.coordination.restart import backoff_of
from flott.coordination.starting_point import find_beginning
from flott.errors import FlottError
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.stream_graph import generate_stream_graph
from flott.metrics.reporters import reporters_of
from flott.runtime.operators.source import SourceOperator
from flott.runtime.source import raise_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common import Configuration, JobID
    from flott.coordination.checkpoints.coordinator import Background
    from flott.coordination.runner import EpochRunner
    from flott.coordination.starting_point import Beginning
    from flott.graph.transformations import Program
    from flott.runtime.clock import JobClock, Stopwatch
    from flott.runtime.plan import EpochPlan
    from flott.runtime.source import Enumerator


class JobServer(Protocol):
    """Lets others see and steer a job while it runs."""

    def admit(self, master: JobMaster, configuration: Configuration) -> None:
        """Serve a job from its start to its end."""

    def leave(self, *, at_once: bool = False) -> None:
        """The job that was to come does not."""


def checkpoint_thread(plan: EpochPlan) -> ThreadPoolExecutor:
    """Make the thread that writes a job's checkpoints; what it logs is about the job."""
    job = (plan.job_id, plan.job_name)
    return ThreadPoolExecutor(1, thread_name_prefix="flott-checkpoints", initializer=enter_job, initargs=job)


def enumerators_of(plan: EpochPlan) -> dict[int, Enumerator]:
    """Make the driver's side of all sources, by vertex."""
    made: dict[int, Enumerator] = {}
    for vertex in plan.vertices:
        head = vertex.chain[0]
        if isinstance(head.operator, SourceOperator):
            try:
                made[vertex.index] = head.operator.source.create_enumerator(vertex.parallelism)
            except (ConnectionError, FlottError) as error:
                raise_named(head.title, error)
    return made


def launch(
    program: Program,
    configuration: Configuration,
    clock: JobClock,
    make_runner: Callable[[JobID, EpochPlan, str | None], EpochRunner],
    background: Background | None = None,
    stopwatch: Stopwatch = time.monotonic,
) -> DriverJobClient:
    """Start a job and return the handle on it.

    Args:
        program: What the user wrote.
        configuration: Its settings.
        clock: The time of day.
        make_runner: Makes what runs epochs, given where the job's files are kept if that is fixed.
        background: What writes checkpoints beside the loop; by default a thread.
        stopwatch: What intervals, delays and durations of the driver are measured by.
    """
    set_up_logging(configuration)
    check_settings(configuration)
    with ExitStack() as undo:
        # Before all else: a port that is taken is better found out now than when the job is ready.
        server = rest_server(configuration)
        if server is not None:
            undo.callback(server.leave, at_once=True)
        master = prepare(program, configuration, clock, make_runner, background, stopwatch)
        undo.callback(master.give_back)
        reporters = reporters_of(configuration, master.metrics)
        if server is not None:
            server.admit(master, configuration)
        undo.pop_all()
    for reporter in reporters:
        reporter.start()
        master.metrics.at_end.append(reporter.stop)
    master.start()
    return DriverJobClient(master)


def rest_server(configuration: Configuration) -> JobServer | None:
    """Return the REST server that a configuration asks for."""
    if not any(configuration.contains(option) for option in (RestOptions.PORT, RestOptions.BIND_PORT)):
        return None
    from flott.rest.attach import open_server

    return open_server(configuration)


def prepare(
    program: Program,
    configuration: Configuration,
    clock: JobClock,
    make_runner: Callable[[JobID, EpochPlan, str | None], EpochRunner],
    background: Background | None,
    stopwatch: Stopwatch,
) -> JobMaster:
    """Make a job ready to start: compile it, find what it starts from, set up the parts of its driver."""
    interval = configuration.get(PipelineOptions.AUTO_WATERMARK_INTERVAL).to_millis()
    stream_graph = generate_stream_graph(program)
    plan = replace(
        build_epoch_plan(stream_graph),
        auto_watermark_interval=interval,
        object_reuse=configuration.get(PipelineOptions.OBJECT_REUSE),
    )
    if program.max_parallelism is not None:
        fixed = tuple(replace(vertex, max_parallelism_is_set=True) for vertex in plan.vertices)
        plan = replace(plan, vertices=fixed)
    epoch_target = configuration.get(FlottOptions.EPOCH_TARGET_DURATION).to_millis()
    # Sources that wait for each other are compared between epochs.
    epoch_target = min(epoch_target, SourceAlignment.of(plan).update_interval or epoch_target)
    settings = CheckpointSettings.of(configuration)
    beginning = find_beginning(plan, configuration, settings)
    plan = replace(beginning.plan, job_id=str(beginning.job_id))
    record = beginning.record
    with ExitStack() as undo:
        undo.callback(give_back, record, None)
        if record is not None:
            remove_orphans(record, {name for one in beginning.adopted for name in one.files})
        runner = make_runner(beginning.job_id, plan, None if record is None else record.root)
        undo.pop_all()
        undo.callback(give_back, record, runner)
        coordinator = coordinator_of(beginning, settings, plan, clock, stopwatch, background, runner)
        master = JobMaster(
            beginning.job_id,
            plan,
            lambda: enumerators_of(plan),
            runner,
            clock,
            JobSettings(
                buffer_timeout=latency_target(stream_graph.nodes.values(), epoch_target),
                epoch_target=epoch_target / 1000,
                epoch_attempts=configuration.get(FlottOptions.EPOCH_MAX_ATTEMPTS),
                latency_interval=configuration.get(ExecutionOptions.LATENCY_INTERVAL).to_millis(),
                broadcast_first=configuration.get(FlottOptions.BROADCAST_FIRST),
                cancellation=CancellationSettings.of(configuration),
            ),
            coordinator,
            backoff_of(configuration, checkpointing=settings.enabled),
            beginning.start,
            record,
            stopwatch=stopwatch,
            over=beginning.over,
        )
        undo.pop_all()
    return master


def coordinator_of(
    beginning: Beginning,
    settings: CheckpointSettings,
    plan: EpochPlan,
    clock: JobClock,
    stopwatch: Stopwatch,
    background: Background | None,
    runner: EpochRunner,
) -> CheckpointCoordinator:
    """Make what takes a job's checkpoints, and knows those it found."""
    record = beginning.record
    coordinator = CheckpointCoordinator(
        settings=settings,
        storage=MemoryCheckpointStorage() if record is None else DirectoryCheckpointStorage(record),
        clock=clock,
        monotonic=lambda: round(stopwatch() * 1000),
        background=background or checkpoint_thread(plan),
        discard=runner.discard,
        job_id=plan.job_id,
        job_name=plan.job_name,
    )
    coordinator.adopt(beginning.adopted)
    if record is not None:
        coordinator.next_id = max(coordinator.next_id, record.last_number + 1)
    if beginning.start is not None:
        # Whoever starts from a savepoint counts on from there: over all the jobs of a line, numbers only grow.
        coordinator.next_id = max(coordinator.next_id, beginning.start.checkpoint_id + 1)
    return coordinator
