"""Co-groups and joins in windows: what two streams have for one key in one window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream._checks.join_roles import CO_GROUP, FLAT_JOIN, JOIN
from flott.datastream._key_functions import key_function
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.tagged import CoGroupOfWindow, KeyOfTagged, PairsOfWindow, from_first, from_second
from flott.datastream.data_stream.windowed import WindowedStream
from flott.datastream.functions.join import FlatJoinFunction
from flott.errors import GraphError
from flott.graph.parallelism import inherited_parallelism

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ClassVar, NoReturn

    from typing_extensions import Self

    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions import KeySelector
    from flott.datastream.functions.join import CoGroupFunction, JoinFunction
    from flott.datastream.window import WindowAssigner

__all__ = ["CoGroupWindows", "CoGroupedStreams", "JoinWindows", "JoinedStreams"]


class TwoStreams:
    """Two streams, and which of their records belong together."""

    _call: ClassVar[str]

    def __init__(self, first: DataStream, second: DataStream) -> None:
        if not hasattr(second, "_unkeyed"):
            raise GraphError(f"{self._call}: {second!r:.100} is no DataStream")
        first._check_neighbour(self._call, second)  # noqa: SLF001 - streams of one program
        self._first = first
        self._second = second
        self._selectors: list[Callable[[Any], Any]] = []
        self._key_type: TypeInformation | None = None

    def where(self, key_selector: Callable[[Any], Any] | KeySelector, key_type: TypeInformation | None = None) -> Self:
        """Takes the key from a record of the first stream."""
        if self._selectors:
            raise GraphError(f"{self._call}.where(...): the first stream has its key; go on with equal_to(...)")
        self._selectors.append(key_function(f"{self._call}.where(...)", key_selector))
        self._key_type = key_type
        return self

    def equal_to(self, key_selector: Callable[[Any], Any] | KeySelector) -> Self:
        """Takes the key from a record of the second stream."""
        if len(self._selectors) != 1:
            raise GraphError(f"{self._call}.equal_to(...): call where(...) first, then equal_to(...), each once")
        self._selectors.append(key_function(f"{self._call}.equal_to(...)", key_selector))
        return self

    def _tagged(self) -> Any:
        if len(self._selectors) != 2:  # noqa: PLR2004 - one of each stream
            raise GraphError(f"{self._call}.window(...): say which records belong together: where(...).equal_to(...)")
        first = _marked(self._first, from_first).name("Map first input")
        second = _marked(self._second, from_second).name("Map second input")
        return first.union(second).key_by(KeyOfTagged(*self._selectors), self._key_type)


def _marked(stream: DataStream, mark: Callable[[Any], tuple[int, Any]]) -> DataStream:
    """Mark each record where it is: dealt out to more subtasks, the records of a key would lose their order."""
    marked = stream.map(mark)
    default = stream.get_execution_environment().get_parallelism()
    marked.get_transformation().parallelism = inherited_parallelism(stream.get_transformation(), default)
    return marked


class CoGroupedStreams(TwoStreams):
    """Two streams that are going to be grouped together: what ``co_group`` returns.

    >>> from flott.common import Duration
    >>> from flott.datastream import StreamExecutionEnvironment
    >>> from flott.datastream.window import TumblingEventTimeWindows
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> orders, payments = env.from_collection([("o1", 5)]), env.from_collection([("o1", 5)])
    >>> both = orders.co_group(payments).where(lambda order: order[0]).equal_to(lambda payment: payment[0])
    >>> windows = both.window(TumblingEventTimeWindows.of(Duration.of_minutes(1)))
    >>> windows.apply(lambda first, second: [(len(first), len(second))]).get_name()
    'TumblingEventTimeWindows'
    """

    _call = "co_group(...)"

    def window(self, window_assigner: WindowAssigner[Any, Any]) -> CoGroupWindows:
        """Cuts both streams into windows; records meet that have one key and one window."""
        return CoGroupWindows(self._tagged(), window_assigner)


class JoinedStreams(TwoStreams):
    """Two streams that are going to be joined in windows: what ``join`` returns."""

    _call = "join(...)"

    def window(self, window_assigner: WindowAssigner[Any, Any]) -> JoinWindows:
        """Cuts both streams into windows; records meet that have one key and one window."""
        return JoinWindows(self._tagged(), window_assigner)


class WindowsOfTwo(WindowedStream):
    """Windows of two streams; trigger, evictor, lateness and late data are set as on one stream.

    Triggers, evictors and the side output of late data see pairs of 0 or 1, for the first or second stream, and record.
    """

    def _only_apply(self, *_arguments: Any, **_named: Any) -> NoReturn:
        raise GraphError(f"{self._call}: windows of two streams have only apply(...)")

    reduce = aggregate = process = sum = min = max = min_by = max_by = _only_apply


class CoGroupWindows(WindowsOfTwo):
    """Windows whose records of both streams are handed on together."""

    _call = "co_group(...).window(...)"

    def apply(
        self,
        window_function: CoGroupFunction | Callable[[list[Any], list[Any]], Any],
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Calls a function with the records of both streams, for each key of each window."""
        call = f"{self._call}.apply(...)"
        function = CO_GROUP.take(call, window_function)
        return self._result(declared(call, output_type), function=CoGroupOfWindow(function))


class JoinWindows(WindowsOfTwo):
    """Windows whose records of both streams are joined pair by pair."""

    _call = "join(...).window(...)"

    def apply(
        self,
        window_function: JoinFunction | FlatJoinFunction | Callable[[Any, Any], Any],
        output_type: DeclaredType | None = None,
    ) -> DataStream:
        """Calls a function with each pair of records of one key and one window."""
        call = f"{self._call}.apply(...)"
        flat = isinstance(window_function, FlatJoinFunction)
        function = (FLAT_JOIN if flat else JOIN).take(call, window_function)
        return self._result(declared(call, output_type), function=PairsOfWindow(function, flat=flat))
