"""AllWindowedStream: all records of a stream, cut into windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from flott.datastream._checks.roles import ALL_WINDOW, PROCESS_ALL_WINDOW, Role
from flott.datastream.data_stream.folding import WindowFolding
from flott.datastream.data_stream.windowed_base import Windowed
from flott.datastream.functions import NullByteKeySelector

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.stream import DataStream
    from flott.datastream.window import WindowAssigner

__all__ = ["AllWindowedStream"]


class AllWindowedStream(WindowFolding, Windowed):
    """A stream cut into windows as a whole: what ``window_all(...)`` returns. One subtask does it all.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> env.from_sequence(1, 100).count_window_all(10).max().get_parallelism()
    1
    """

    _call = "window_all(...)"
    _over_all = True
    _applied: ClassVar[Role] = ALL_WINDOW
    _processed: ClassVar[Role] = PROCESS_ALL_WINDOW

    def __init__(self, data_stream: DataStream, window_assigner: WindowAssigner[Any, Any]) -> None:
        super().__init__(data_stream.key_by(NullByteKeySelector()), window_assigner)

    def _result(
        self, output_type: TypeInformation, reduce: Any = None, aggregate: Any = None, function: Any = None
    ) -> DataStream:
        return super()._result(output_type, reduce, aggregate, function).force_non_parallel()
