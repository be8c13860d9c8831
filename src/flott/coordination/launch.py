"""From a program to a running job: compile, set up what the sources need, start the loop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.common import JobID
from flott.common.options import FlottOptions, PipelineOptions
from flott.coordination.client import DriverJobClient
from flott.coordination.job_master import JobMaster, JobSettings
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.job_graph import build_job_graph
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.operators.source import SourceOperator

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common import Configuration
    from flott.coordination.runner import EpochRunner
    from flott.graph.transformations import Program
    from flott.runtime.clock import Clock
    from flott.runtime.plan import EpochPlan


def compile_program(program: Program) -> EpochPlan:
    """Compile a program through all its graphs to the plan of an epoch."""
    return build_epoch_plan(build_job_graph(generate_stream_graph(program)))


def launch(
    program: Program,
    configuration: Configuration,
    clock: Clock,
    make_runner: Callable[[JobID, EpochPlan], EpochRunner],
) -> DriverJobClient:
    """Start a job and return the handle on it."""
    interval = configuration.get(PipelineOptions.AUTO_WATERMARK_INTERVAL).to_millis()
    plan = replace(compile_program(program), auto_watermark_interval=interval)
    job_id = JobID()
    enumerators = {}
    for vertex in plan.vertices:
        head = vertex.chain[0].operator
        if isinstance(head, SourceOperator):
            enumerators[vertex.index] = head.source.create_enumerator(vertex.parallelism)
    settings = JobSettings(
        buffer_timeout=program.buffer_timeout,
        epoch_target=configuration.get(FlottOptions.EPOCH_TARGET_DURATION).to_millis() / 1000,
        epoch_attempts=configuration.get(FlottOptions.EPOCH_MAX_ATTEMPTS),
    )
    master = JobMaster(job_id, plan, enumerators, make_runner(job_id, plan), clock, settings)
    master.start()
    return DriverJobClient(master)
