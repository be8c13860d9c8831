"""Streams whose records are kept: the first job that runs them writes them down, later ones read them."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from hashlib import md5
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fsspec

from flott.common.options import CheckpointingOptions
from flott.common.workspace import workspace
from flott.connectors.cached_records import CachedRecordsSink, CachedRecordsSource
from flott.datastream.data_stream.stream import DataStream
from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation
from flott.runtime.operator import Operator
from flott.runtime.operators.sinks import WriterSink
from flott.runtime.operators.source import SourceOperator

if TYPE_CHECKING:
    from flott.common import Configuration
    from flott.common.job_client import JobClient
    from flott.common.typeinfo import TypeInformation
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.graph.transformations import Transformation
    from flott.runtime.batch import Batch

__all__ = ["Cache", "CachedDataStream", "cached"]


class PassOn(Operator):
    """Hands on what it gets."""

    def process(self, batch: Batch) -> None:
        self.output.emit(batch)


class Cache:
    """What is known of the records behind one ``cache()``."""

    def __init__(self, step: PhysicalTransformation) -> None:
        self.step = step
        self._computed = step.inputs, step.operator
        self._path: str | None = None
        self._job: JobClient | None = None

    def writer(self, number: int, configuration: Configuration) -> PhysicalTransformation | None:
        """Return what writes the records down in the next job; None if a job has done so, and they are read."""
        if self._job is not None and not self._is_read():
            self._path = self._job = None
        if self._job is not None:
            return None
        if self._path is None:
            self._path = _new_folder(self, configuration)
        uid = md5(f"cache {self.step.id}".encode(), usedforsecurity=False).hexdigest()
        return PhysicalTransformation(
            id=number,
            name="Cache",
            inputs=(self.step,),
            operator=WriterSink(CachedRecordsSink(self._path)),
            parallelism=self.step.parallelism,
            uid_hash=uid,
            is_sink=True,
        )

    def _is_read(self) -> bool:
        """Wait for the job that writes the records; if it did, read them from now on."""
        if self.step.source is None:
            try:
                self._job.get_job_execution_result().result()  # type: ignore[union-attr]
            except Exception:  # noqa: BLE001 - whatever became of that job: the records are computed again
                return False
            source = CachedRecordsSource(str(self._path))
            self.step.inputs, self.step.source, self.step.operator = (), source, SourceOperator(source, None)
        return True

    def started(self, job: JobClient) -> None:
        """Hear which job writes the records down."""
        if self._job is None:
            self._job = job

    def invalidate(self) -> None:
        """Forget the records, and compute them again."""
        if self._job is not None and self._path is not None and self._is_read():
            file_system, path = fsspec.core.url_to_fs(self._path)
            if file_system.exists(path):
                file_system.rm(path, recursive=True)
        self.step.inputs, self.step.operator = self._computed
        self.step.source = self._path = self._job = None


class CachedDataStream(DataStream):
    """A stream whose records the first job that needs them writes down; later jobs of this environment read them.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> squares = env.set_parallelism(1).from_sequence(1, 3).map(lambda n: n * n).cache()
    >>> _ = squares.print()
    >>> print(env.get_stream_graph())
    1 Source: Sequence Source ×1
    2 Map ×1 ← 1 FORWARD
    3 Cache ×1 ← 2 FORWARD
    4 Sink: Print to Std. Out ×1 ← 3 FORWARD
    5 Sink: Cache ×1 ← 3 FORWARD
    """

    def __init__(
        self, environment: StreamExecutionEnvironment, transformation: PhysicalTransformation, cache: Cache
    ) -> None:
        super().__init__(environment, transformation)
        self._cache = cache

    def invalidate(self) -> None:
        """Drops the records that were kept: the next job that needs them computes and keeps them again."""
        self._cache.invalidate()


def cached(environment: StreamExecutionEnvironment, upstream: Transformation, kind: TypeInformation) -> Any:
    """Make the records of a stream be kept."""
    unbounded = _unbounded(upstream)
    if unbounded is not None:
        raise GraphError(f"cache(): {unbounded.label} never ends, so its records can't be kept; cache a bounded stream")
    steps = environment.steps
    step = PhysicalTransformation(
        id=steps.next_id(), name="Cache", inputs=(upstream,), output_type=kind, operator=PassOn()
    )
    steps.register(step)
    steps.caches[step] = cache = Cache(step)
    return CachedDataStream(environment, step, cache)


def _unbounded(upstream: Transformation) -> PhysicalTransformation | None:
    waiting = [upstream]
    while waiting:
        step = waiting.pop()
        if isinstance(step, PhysicalTransformation) and step.source is not None and not step.source.is_bounded():
            return step
        waiting.extend(step.inputs)
    return None


def _new_folder(cache: Cache, configuration: Configuration) -> str:
    """Return where the records go: beside the job's checkpoints, which all machines see; else on this machine."""
    shared = configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY)
    if shared:
        return f"{shared.rstrip('/')}/caches/{uuid4().hex}"
    folder = tempfile.mkdtemp(prefix="cache-", dir=workspace())
    weakref.finalize(cache, shutil.rmtree, folder, ignore_errors=True)
    return folder
