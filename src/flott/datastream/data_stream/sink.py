"""Where a stream leaves the job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream.data_stream.settings import OperatorSettings

if TYPE_CHECKING:
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.graph.transformations import PhysicalTransformation

__all__ = ["DataStreamSink"]


class DataStreamSink(OperatorSettings):
    """A sink that was added to a stream; it can be named and set like any operator.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> env.from_collection([1, 2]).print().name("numbers").set_parallelism(1).get_name()
    'numbers'
    """

    def __init__(self, environment: StreamExecutionEnvironment, transformation: PhysicalTransformation) -> None:
        self._environment = environment
        self._transformation = transformation
