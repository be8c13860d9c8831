"""Whole jobs in this process, without Spark: the same plan, the same tasks, the same blocks and barriers."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common.machine_clock import MachineClock
from flott.common.options import PythonOptions
from flott.common.workspace import workspace
from flott.coordination.launch import launch
from flott.errors import ConfigurationError
from flott.runtime.job_file import pack, unpack
from flott.runtime.level import run_partition
from flott.runtime.state.policy import StatePolicy
from flott.runtime.storage import open_storage, remove_job_files
from flott.runtime.task import Subtask, TaskServices

if TYPE_CHECKING:
    from flott.common import Configuration, JobID
    from flott.coordination.client import DriverJobClient
    from flott.graph.transformations import Program
    from flott.runtime.blocks import BlockRow
    from flott.runtime.clock import JobClock, Stopwatch
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import EpochOrder, TaskReport
    from flott.runtime.task_activity import TaskActivity

WITHOUT_SETTINGS = StatePolicy()


class InProcessRunner:
    """Runs epochs one subtask after the other, in this process."""

    def __init__(
        self, plan: EpochPlan, clock: JobClock, storage: str | None = None, state: StatePolicy = WITHOUT_SETTINGS
    ) -> None:
        data = pack(plan)
        self._file = unpack(data, sha256(data).hexdigest())
        self._directory = Path(tempfile.mkdtemp(prefix="job-", dir=workspace()))
        self._storage = open_storage(storage or str(self._directory / "files"))
        stores = self._directory / "stores"
        self._services = TaskServices(clock, self._storage, stores, time.perf_counter, state)
        self._subtasks: dict[tuple[int, int], tuple[str, Subtask]] = {}
        self._tokens = count(1)

    def run(self, order: EpochOrder) -> list[TaskReport]:
        """Run one epoch, level by level."""
        plan = self._file.plan
        waiting: dict[int, list[BlockRow]] = {}
        for level in plan.levels:
            produced: dict[int, list[BlockRow]] = {}
            for partition in range(level.partitions):
                token = f"{order.run[:8]}-{next(self._tokens)}"
                rows = waiting.get(partition, [])
                for row in run_partition(
                    plan, level.index, partition, order, token, rows, lambda v, i: self._subtask(v, i, order.run)
                ):
                    produced.setdefault(row.target, []).append(row)
            waiting = produced
        return [pickle.loads(row.data) for rows in waiting.values() for row in rows]

    def _subtask(self, vertex: int, index: int, run: str) -> Subtask:
        known = self._subtasks.get((vertex, index))
        if known is None or known[0] != run:
            if known is not None:
                known[1].drop()
            known = (run, Subtask(self._file.plan, self._file.vertex(vertex), index, self._services))
            self._subtasks[vertex, index] = known
        return known[1]

    def activities(self) -> list[TaskActivity]:
        """Return what the subtask does whose turn it is."""
        found = [subtask.activity() for _, subtask in tuple(self._subtasks.values())]
        return [activity for activity in found if activity is not None]

    def cancel(self) -> None:
        """Nothing to do: an epoch here ends by itself."""

    def kill(self) -> None:
        """Nothing to do: what works here is this process."""

    def discard(self, names: list[str]) -> None:
        """Remove state files that no version needs any more."""
        for name in names:
            self._storage.delete(name)

    def close_functions(self) -> None:
        """Close the operators; the first error is raised after all were tried."""
        with ExitStack() as stack:
            for _, subtask in reversed(self._subtasks.values()):
                stack.callback(subtask.close)
            self._subtasks.clear()

    def close(self, keep: set[str] | None = None, *, fenced: bool = False) -> None:
        """Remove the job's files, unless they may be another driver's by now."""
        with ExitStack() as stack:
            stack.callback(shutil.rmtree, self._directory, ignore_errors=True)
            if not fenced:
                stack.callback(remove_job_files, self._storage, None, keep)
            for store in self._services.stores.values():
                stack.callback(store.close)


def enter_environment(configuration: Configuration) -> None:
    """Put what functions import on this process's path, and refuse what only workers could do."""
    for option in (PythonOptions.PYTHON_ARCHIVES, PythonOptions.PYTHON_EXECUTABLE):
        asked = configuration.get(option)
        if asked and (option is PythonOptions.PYTHON_ARCHIVES or shutil.which(asked) != shutil.which(sys.executable)):
            message = (
                f"option '{option.key}' can't be '{asked}' in-process: functions run in the program's own Python and "
                "directory. flott.execution.target: spark has workers"
            )
            raise ConfigurationError(message)
    files = [Path(path) for path in (configuration.get(PythonOptions.PYTHON_FILES) or "").split(",") if path]
    # A module and a package are found in the directory they are in, those of an archive in the archive.
    places = [str(path.parent if path.is_dir() or path.suffix == ".py" else path) for path in files]
    places += [path for path in (configuration.get(PythonOptions.PYTHON_PATH) or "").split(os.pathsep) if path]
    sys.path[:0] = [place for place in places if place not in sys.path]


def submit(
    program: Program,
    configuration: Configuration,
    clock: JobClock | None = None,
    stopwatch: Stopwatch = time.monotonic,
) -> DriverJobClient:
    """Start a program in this process; what ``flott.execution.target: in-process`` does."""
    time_of_day = clock or MachineClock()
    enter_environment(configuration)

    def runner(_: JobID, plan: EpochPlan, checkpoints: str | None) -> InProcessRunner:
        return InProcessRunner(plan, time_of_day, checkpoints, StatePolicy.of(configuration))

    return launch(program, configuration, time_of_day, runner, stopwatch=stopwatch)
