"""How a stream leaves the job: printed, written to a sink, or collected by the program."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from flott.connectors.two_phase_commit_sink import TwoPhaseCommitSink
from flott.datastream._checks.picklable import check_picklable
from flott.datastream._checks.roles import SINK, TWO_PHASE_COMMIT
from flott.datastream._spark_frames import (
    read_back,
    rows_directory,
    rows_sink,
    spark_sink,
)
from flott.datastream.data_stream.collecting import CloseableIterator, ResultBuffer
from flott.datastream.data_stream.printing import Printer, renderer
from flott.datastream.data_stream.sink import DataStreamSink
from flott.datastream.data_stream.sink_calls import SinkCalls
from flott.datastream.functions import CheckpointedFunction, TwoPhaseCommitSinkFunction
from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation
from flott.runtime.operators.process import Process
from flott.runtime.operators.sink_capabilities import is_sink
from flott.runtime.operators.sinks import DriverSink, WriterSink

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.common.job_client import JobClient
    from flott.connectors.base import Sink
    from flott.datastream.data_stream.stream import DataStream
    from flott.datastream.functions import SinkFunction
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.graph.transformations import Transformation
    from flott.runtime.operator import Operator

__all__ = ["Outputs"]


class Outputs:
    """The ways out."""

    _environment: StreamExecutionEnvironment
    _transformation: Transformation

    def get_parallelism(self) -> int:
        """Returns how many subtasks the operator has."""
        raise NotImplementedError

    def print(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Prints every record in the terminal of the program.

        A line reads ``identifier:subtask> record``, subtasks counted from 1. Without an identifier, and where
        there is only one subtask, these parts are left out.
        """
        render = renderer(self._transformation.output_type)
        return self._sink("Print to Std. Out", DriverSink(Printer(sink_identifier, render)))

    def print_to_err(self, sink_identifier: str | None = None) -> DataStreamSink:
        """Prints every record on the error output of the program."""
        render = renderer(self._transformation.output_type)
        return self._sink("Print to Std. Err", DriverSink(Printer(sink_identifier, render, "stderr")))

    def add_sink(self, sink_func: SinkFunction | TwoPhaseCommitSinkFunction) -> DataStreamSink:
        """Calls a SinkFunction for every record; after a failure, some may come again.

        A TwoPhaseCommitSinkFunction writes in transactions instead: each record shows exactly once.
        """
        if is_sink(sink_func):
            raise GraphError(f"add_sink(...): {type(sink_func).__qualname__} is a Sink; use sink_to(...)")
        if isinstance(sink_func, TwoPhaseCommitSinkFunction):
            if isinstance(sink_func, CheckpointedFunction):
                raise GraphError(
                    f"add_sink(...): {type(sink_func).__qualname__} is a CheckpointedFunction too; what a "
                    "TwoPhaseCommitSinkFunction keeps are its transactions. Keep other state in an operator before it"
                )
            function = TWO_PHASE_COMMIT.take("add_sink(...)", sink_func)
            return self._sink("Unnamed", WriterSink(TwoPhaseCommitSink(function)))
        return self._sink("Unnamed", Process(SinkCalls(SINK.take("add_sink(...)", sink_func))))

    def sink_to(self, sink: Sink) -> DataStreamSink:
        """Writes the stream to a Sink, which shows only what counts: nothing twice, nothing of a failed attempt."""
        if not is_sink(sink):
            raise GraphError(
                f"sink_to(...): {sink!r:.100} is no Sink; give an object with create_writer(...), "
                "such as one from flott.datastream.connectors; a SinkFunction goes in add_sink(...)"
            )
        check_picklable("sink_to(...)", sink)
        operator = WriterSink(sink)
        get_transformer = operator.capabilities.get_transformer
        transformer = None if get_transformer is None else get_transformer()
        if transformer is not None:
            prepared: DataStream = transformer.apply(self)
            return prepared._sink("Writer", operator)  # noqa: SLF001 - a stream, as this is
        return self._sink("Writer", operator)

    def sink_to_spark(
        self,
        write: Callable[[Any, int], None] | None = None,
        *,
        format: str | None = None,
        path: str | None = None,
        partition_by: Sequence[str] = (),
        directory: str | None = None,
        **options: Any,
    ) -> DataStreamSink:
        """Writes the stream with Spark, with each checkpoint the rows that came since the one before.

        A format whose output is files (parquet, orc, csv, json) and Delta show each row exactly once. A function
        is called again after a crash at the wrong moment, with the same rows and the same number: it can tell by the
        number whether it has written them.

        Args:
            write: A function that gets a DataFrame and a number that only grows, the checkpoint's.
            format: Instead of a function, the name of a format of Spark's: rows are appended.
            path: Where to, for formats that have a path.
            partition_by: Columns that make directories.
            directory: Where rows are staged; by default below the checkpoint directory, else a temporary one.
            options: Options of the format, as in DataFrameWriter.option.
        """
        configuration = self._environment.get_configuration()
        type_info = self._transformation.output_type
        sink = spark_sink(type_info, configuration, write, format, path, partition_by, options, directory)
        return self._sink("Spark Writer", WriterSink(sink))

    def to_spark(self, job_execution_name: str | None = None, *, directory: str | None = None) -> Any:
        """Runs the program to its end, and returns the records of this stream as a Spark DataFrame.

        Args:
            job_execution_name: The name of the job.
            directory: Where the rows are kept that the DataFrame reads; by default a temporary one, which goes with
                this process.
        """
        environment = self._environment
        type_info = self._transformation.output_type
        place = rows_directory(environment.get_configuration(), directory)
        self._sink("Spark Writer", WriterSink(rows_sink(type_info, place)))
        environment.execute(job_execution_name)
        return read_back(type_info, place)

    def execute_and_collect(
        self, job_execution_name: str | None = None, limit: int | None = None
    ) -> CloseableIterator | list[Any]:
        """Runs the program, and brings the records of this stream back.

        Args:
            job_execution_name: The name of the job.
            limit: Take so many records at most, cancel the job then, and return a list of them.
        """
        if limit is not None and limit < 0:
            raise GraphError(f"execute_and_collect(limit={limit}): a limit is 0 or more")
        results = self._collect(job_execution_name)
        if limit is None:
            return results
        with results:
            return list(islice(results, limit))

    def _collect(self, name: str | None) -> CloseableIterator:
        buffer = ResultBuffer()
        # As parallel as what it collects: nothing is exchanged on the way, and what was in order stays so.
        self._sink("Collect", DriverSink(buffer.receive)).set_parallelism(self.get_parallelism())
        client: JobClient = self._environment.execute_async(name)
        return CloseableIterator(buffer, client)

    def _sink(self, name: str, operator: Operator) -> DataStreamSink:
        environment = self._environment
        step = PhysicalTransformation(
            id=environment.steps.next_id(),
            name=name,
            inputs=(self._transformation,),
            operator=operator,
            is_sink=True,
        )
        environment.steps.register(step)
        return DataStreamSink(environment, step)
