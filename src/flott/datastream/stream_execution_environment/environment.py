"""StreamExecutionEnvironment: where a program begins, and what executes it."""

from __future__ import annotations

import warnings
from operator import methodcaller
from typing import TYPE_CHECKING

from flott.common.configuration import Configuration
from flott.common.options import ExecutionOptions, PipelineOptions
from flott.datastream._await_result import await_result
from flott.datastream._steps import Steps
from flott.datastream.execution_mode import RuntimeExecutionMode
from flott.datastream.job_listener import JobListener, tell_listeners
from flott.datastream.stream_execution_environment.batch_mode import in_mode, physical_steps
from flott.datastream.stream_execution_environment.dependencies import Dependencies
from flott.datastream.stream_execution_environment.settings import EnvironmentSettings
from flott.datastream.stream_execution_environment.sources import Sources
from flott.datastream.stream_execution_environment.targets import submitter
from flott.errors import GraphError
from flott.graph.check_event_time import without_event_time
from flott.graph.explain_json import execution_plan_json
from flott.graph.stream_graph import generate_stream_graph
from flott.graph.transformations import Program

if TYPE_CHECKING:
    from typing import NoReturn

    from typing_extensions import Self

    from flott.common.job_client import JobClient
    from flott.common.job_execution_result import JobExecutionResult
    from flott.datastream.data_stream.cached import Cache
    from flott.datastream.slot_sharing_group import SlotSharingGroup
    from flott.graph.stream_graph import StreamGraph
    from flott.graph.transformations import PhysicalTransformation

__all__ = ["StreamExecutionEnvironment"]

DEFAULT_JOB_NAME = "Flott Streaming Job"


class StreamExecutionEnvironment(EnvironmentSettings, Sources, Dependencies):
    """The context of a program: it makes streams, holds settings, and executes what was built.

    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> _ = env.set_parallelism(1)
    >>> _ = env.from_collection([1, 2, 3]).map(lambda number: number * 2).print()
    >>> print(env.get_stream_graph())
    1 Source: Collection Source ×1
    2 Map ×1 ← 1 FORWARD
    3 Sink: Print to Std. Out ×1 ← 2 FORWARD
    >>> env.execute("doubled")  # doctest: +SKIP
    """

    context_configuration: Configuration | None = None
    """Set by whoever starts a program from outside, such as ``flott run``: settings below the program's own."""

    def __init__(self, configuration: Configuration | None = None) -> None:
        self._configuration = Configuration(self.context_configuration)
        if configuration is not None:
            self._configuration.add_all(configuration)
        self.steps = Steps()
        self._slot_sharing_groups: dict[str, SlotSharingGroup] = {}
        self._listeners: list[JobListener] = []
        self._caches_filled: list[Cache] = []
        """The caches that the program writes."""

    @staticmethod
    def get_execution_environment(configuration: Configuration | None = None) -> StreamExecutionEnvironment:
        """Returns a new environment.

        Args:
            configuration: Settings, which win over those of the command line. It is copied.
        """
        return StreamExecutionEnvironment(configuration)

    # -- the program -----------------------------------------------------------------------------------

    def program(self, name: str | None = None) -> Program:
        """Returns all that was built so far, ready to be turned into a graph."""
        if not self.steps.registered:
            raise GraphError(
                "there is nothing to execute: no operator was added to any source since the last execution; "
                "build a program first, as in env.from_collection([1, 2, 3]).print()"
            )
        mode = RuntimeExecutionMode[self._configuration.get(ExecutionOptions.RUNTIME_MODE)]
        steps = in_mode([*self.steps.registered, *self._cache_writers()], mode)
        for silent in without_event_time(steps):
            warnings.warn(silent, stacklevel=4)  # where the program is executed
        max_parallelism = self.get_max_parallelism()
        config = self.get_config()
        return Program(
            name=name or self._configuration.get(PipelineOptions.NAME) or DEFAULT_JOB_NAME,
            transformations=steps,
            parallelism=self.get_parallelism(),
            max_parallelism=max_parallelism if max_parallelism > 0 else None,
            chaining_enabled=self.is_chaining_enabled(),
            auto_generated_uids=config.has_auto_generated_uids_enabled(),
            buffer_timeout=self.get_buffer_timeout(),
            parameters=config.get_global_job_parameters(),
        )

    def _cache_writers(self) -> list[PhysicalTransformation]:
        """Return what writes down the records of caches that the program uses and no job has written yet."""
        used = {step for step in physical_steps(self.steps.registered) if step in self.steps.caches}
        caches = [cache for step, cache in self.steps.caches.items() if step in used]
        made = [cache.writer(self.steps.next_id(), self._configuration) for cache in caches]
        self._caches_filled = [cache for cache, writer in zip(caches, made, strict=True) if writer is not None]
        return [writer for writer in made if writer is not None]

    def get_stream_graph(self, clear_transformations: bool = False) -> StreamGraph:
        """Returns the graph of the program: every operator, and how records get from one to the next.

        Args:
            clear_transformations: Whether the program starts anew afterwards.
        """
        graph = generate_stream_graph(self.program())
        if clear_transformations:
            self.steps.clear()
        return graph

    def get_execution_plan(self) -> str:
        """Returns the plan of the program as JSON, in the form that Flink's plan visualizer reads."""
        return execution_plan_json(self.get_stream_graph())

    def get_transformations(self) -> list[PhysicalTransformation]:
        """Returns the operators that were added so far; sources are found through their inputs."""
        return list(self.steps.registered)

    # -- execution ---------------------------------------------------------------------------------------

    def execute(self, job_name: str | None = None) -> JobExecutionResult:
        """Runs the program and waits until it ends; a failure is raised as JobExecutionError.

        Ctrl-C cancels the job, and is raised again once it is cancelled.
        """
        client = self.execute_async(job_name)
        try:
            result = await_result(client)
        except BaseException as error:
            tell_listeners(self._listeners, methodcaller("on_job_executed", None, error))
            raise
        tell_listeners(self._listeners, methodcaller("on_job_executed", result, None))
        return result

    def execute_async(self, job_name: str | None = None) -> JobClient:
        """Starts the program and returns a handle on the job, without waiting for it."""
        try:
            program = self.program(job_name)
            # What is wrong with the graph is said here, before anything is started.
            generate_stream_graph(program)
            self.steps.clear()
            client = submitter(self._configuration)(program, self._configuration.clone())
            for cache in self._caches_filled:
                cache.started(client)
        except Exception as error:
            tell_listeners(self._listeners, methodcaller("on_job_submitted", None, error))
            raise
        tell_listeners(self._listeners, methodcaller("on_job_submitted", client, None))
        return client

    def register_job_listener(self, job_listener: JobListener) -> None:
        """Lets a listener know when jobs are submitted and when they end."""
        if not isinstance(job_listener, JobListener):
            raise GraphError(f"register_job_listener({job_listener!r:.100}): give an object derived from JobListener")
        self._listeners.append(job_listener)

    def get_job_listeners(self) -> list[JobListener]:
        """Returns the listeners."""
        return list(self._listeners)

    def clear_job_listeners(self) -> None:
        """Forgets all listeners."""
        self._listeners.clear()

    def close(self) -> None:
        """Forgets what was built and not executed."""
        self.steps.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a StreamExecutionEnvironment belongs to the program and can't go to a worker; don't use it in a function"
        )
