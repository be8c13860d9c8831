"""What runs in Spark's Python workers: one partition of one level, on operators that stay open between epochs."""

from __future__ import annotations

import gc
import pickle
import socket
import time
from collections import OrderedDict
from contextlib import nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa
from pyspark import TaskContext

from flott.common.machine_clock import MachineClock
from flott.common.private_directory import private_directory
from flott.common.pyflink_imports import install_pyflink_imports
from flott.runtime.blocks import BlockRow
from flott.runtime.job_file import JobFile, unpack
from flott.runtime.level import run_partition
from flott.runtime.reports import Place
from flott.runtime.storage import open_storage
from flott.runtime.task import Subtask, TaskServices
from flott.spark.activity import ActivityWriter
from flott.spark.prints import remembered
from flott.spark.worker_environment import WorkerEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.runtime.reports import EpochOrder
    from flott.runtime.state.policy import StatePolicy

SCHEMA = pa.schema(
    [
        ("target", pa.int32()),
        ("channel", pa.int32()),
        ("final", pa.int32()),
        ("sequence", pa.int32()),
        ("data", pa.binary()),
    ]
)
ROWS_PER_BATCH = 16
RESIDENT_SUBTASKS = 64
COLLECT_EVERY = 32


@dataclass(frozen=True, slots=True)
class JobAddress:
    """Where a worker finds a job."""

    job_id: str
    storage: str
    job_file: str
    digest: str
    state_dir: str
    state: StatePolicy
    pyflink_imports: bool = False
    """Whether `import pyflink` means Flott in the job's functions."""
    prints: bool = False
    """Whether what functions print goes to the driver."""
    environment: WorkerEnvironment = field(default_factory=WorkerEnvironment)


@dataclass(frozen=True, slots=True)
class LevelTask:
    """The function that Spark runs on every partition of a level; small, because it is sent with every epoch."""

    address: JobAddress
    level: int
    order: bytes
    """The part of the epoch's order that this level needs, pickled."""
    targets: tuple[int, ...] = ()
    """What to write for each partition of the next level, if not its number."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Turn the blocks of an exchange into the blocks of the next."""
        spark_task = TaskContext.get()
        if spark_task is None:
            message = "a level runs only inside a Spark task"
            raise RuntimeError(message)
        quiet_collector()
        order: EpochOrder = pickle.loads(self.order)
        self.address.environment.enter()
        job = RESIDENTS.job(self.address)
        job.clock.set_time = order.set_time
        place = place_of(spark_task)
        rows = read_rows(batches) if self.level > 0 else exhausted(batches)
        made: list[tuple[int, int]] = []

        def subtask_of(vertex: int, index: int) -> Subtask:
            made.append((vertex, index))
            subtask = job.subtask(vertex, index, order.run, place)
            ACTIVITY.begin(subtask)
            return subtask

        try:
            with remembered(job.services.printed) if self.address.prints else nullcontext():
                partition, token = spark_task.partitionId(), uuid4().hex
                produced = run_partition(job.file.plan, self.level, partition, order, token, rows, subtask_of)
                yield from write_rows(produced, self.targets)
        except BaseException:
            # Half an epoch is in these operators: they must not see another.
            for vertex, index in made:
                job.drop(vertex, index)
            raise
        finally:
            ACTIVITY.end()
            resume_collector()


class ResidentJob:
    """A job's operators in this process."""

    def __init__(self, address: JobAddress) -> None:
        if address.pyflink_imports:
            install_pyflink_imports()
        stores = Path(address.state_dir)
        stores.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        private_directory(stores.parent)
        storage = open_storage(address.storage)
        self.file: JobFile = unpack(storage.read(address.job_file), address.digest)
        self.clock = MachineClock()
        self.services = TaskServices(
            clock=self.clock,
            storage=storage,
            state_dir=stores,
            stopwatch=time.perf_counter,
            state=address.state,
        )
        self.subtasks: OrderedDict[tuple[int, int], tuple[str, Subtask]] = OrderedDict()

    def subtask(self, vertex: int, index: int, run: str, place: Place) -> Subtask:
        """Return the subtask with its operators open; one of an earlier run is closed and replaced."""
        known = self.subtasks.get((vertex, index))
        if known is not None and known[0] == run:
            self.subtasks.move_to_end((vertex, index))
            known[1].attempt, known[1].place = place.attempt, place
            return known[1]
        self.drop(vertex, index)
        subtask = Subtask(self.file.plan, self.file.vertex(vertex), index, self.services, place.attempt)
        subtask.place = place
        self.subtasks[vertex, index] = (run, subtask)
        if len(self.subtasks) > RESIDENT_SUBTASKS:
            self.drop(*next(iter(self.subtasks)))
        return subtask

    def drop(self, vertex: int, index: int) -> None:
        """Close a subtask's operators and forget them."""
        known = self.subtasks.pop((vertex, index), None)
        if known is not None:
            known[1].drop()

    def close(self) -> None:
        """Close everything."""
        for vertex, index in list(self.subtasks):
            self.drop(vertex, index)
        for store in self.services.stores.values():
            store.close()


class Residents:
    """The jobs that have operators in this process, the longest unused first."""

    LIMIT = 4

    def __init__(self) -> None:
        self.jobs: OrderedDict[str, ResidentJob] = OrderedDict()

    def job(self, address: JobAddress) -> ResidentJob:
        """Return a job's operators, loading the job at first use."""
        job = self.jobs.get(address.job_id)
        if job is None:
            job = self.jobs[address.job_id] = ResidentJob(address)
            while len(self.jobs) > self.LIMIT:
                self.jobs.popitem(last=False)[1].close()
        self.jobs.move_to_end(address.job_id)
        return job


RESIDENTS = Residents()
ACTIVITY = ActivityWriter()
_tasks_done = 0


def place_of(spark_task: TaskContext) -> Place:
    """Say where a Spark task runs."""
    return Place(
        socket.gethostname(),
        spark_task.stageId(),
        spark_task.taskAttemptId(),
        spark_task.attemptNumber(),
        spark_task.partitionId(),
    )


def quiet_collector() -> None:
    """Keep the garbage collector from walking millions of live records again and again while a task works."""
    gc.unfreeze()
    gc.disable()


def resume_collector() -> None:
    """Let it catch up now and then; Spark's own full collection after each task skips what is frozen."""
    global _tasks_done  # noqa: PLW0603 - one number per process
    _tasks_done += 1
    if _tasks_done % COLLECT_EVERY == 0:
        gc.collect()
    gc.freeze()
    gc.enable()


def exhausted(batches: Iterator[pa.RecordBatch]) -> Iterable[BlockRow]:
    """Read the row that only says which partition this is."""
    for _ in batches:
        pass
    return ()


def read_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[BlockRow]:
    """Take the blocks out of Arrow batches; the bytes are not copied."""
    for batch in batches:
        target, channel, final, sequence = (batch.column(index).to_pylist() for index in range(4))
        data = batch.column(4)
        for index in range(batch.num_rows):
            yield BlockRow(target[index], channel[index], final[index], sequence[index], data[index].as_buffer())


def write_rows(rows: Iterable[BlockRow], targets: tuple[int, ...] = ()) -> Iterator[pa.RecordBatch]:
    """Put blocks into Arrow batches, a few at a time so that Spark can take them while the task works on."""
    pending: list[BlockRow] = []
    for row in rows:
        pending.append(row)
        if len(pending) >= ROWS_PER_BATCH:
            yield as_batch(pending, targets)
            pending = []
    if pending:
        yield as_batch(pending, targets)


def as_batch(rows: list[BlockRow], targets: tuple[int, ...]) -> Any:
    """Return rows as one Arrow batch."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    if targets:
        columns[0] = [targets[target] for target in columns[0]]
    columns[4] = [bytes(data) if isinstance(data, pa.Buffer) else data for data in columns[4]]
    return pa.RecordBatch.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def digest_of(data: bytes) -> str:
    """Return the digest that ties a job's address to its file."""
    return sha256(data).hexdigest()
