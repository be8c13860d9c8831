"""SplitStream: a stream whose records belong to named outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream.data_stream.stream import DataStream
from flott.errors import GraphError
from flott.runtime.output_tag import OutputTag

if TYPE_CHECKING:
    from flott.datastream.data_stream.splitting import Split

__all__ = ["SplitStream"]


class SplitStream(DataStream):
    """What ``split(...)`` returns: still the whole stream, of which ``select`` takes named parts.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> numbers = env.from_collection([1, 2, 3]).split(lambda n: ["even"] if n % 2 == 0 else ["odd"])
    >>> _ = numbers.select("even").print("even")
    >>> _ = numbers.select("even", "odd").print("all")
    """

    def __init__(self, stream: DataStream, split: Split) -> None:
        super().__init__(stream.get_execution_environment(), stream.get_transformation())
        self._split = split

    def select(self, *output_names: str) -> DataStream:
        """Returns the records that belong to one of the named outputs, or to several; each is there once."""
        if not output_names or not all(isinstance(name, str) for name in output_names):
            raise GraphError(
                f"select{output_names!r}: give the names of one output or several, as in select('even', 'odd')"
            )
        wanted = frozenset(output_names)
        tag = OutputTag(f"select {sorted(wanted)}", self.get_type())
        stream = self.get_side_output(tag)
        self._split.selections[tag] = wanted
        return stream
