"""Where an environment's streams begin."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from flott.common.io import InputFormat
from flott.connectors.collection import CollectionSource
from flott.connectors.input_format import InputFormatSource
from flott.connectors.number_sequence import NumberSequenceSource
from flott.connectors.socket_text import SocketTextSource
from flott.connectors.text_file import TextFileSource
from flott.datastream._checks.picklable import check_picklable
from flott.datastream._not_yet import not_yet
from flott.datastream._spark_frames import source_of
from flott.datastream._time_checks import strategy_of
from flott.datastream._typed_output import typed_records
from flott.datastream._typed_values import conform, declared
from flott.datastream.data_stream.stream import DataStream
from flott.datastream.functions import SourceFunction
from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation
from flott.runtime.operators.source import SourceOperator

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation
    from flott.common.watermark_strategy import WatermarkStrategy
    from flott.datastream.data_stream.stream import DeclaredType
    from flott.datastream.stream_execution_environment.environment import StreamExecutionEnvironment
    from flott.runtime.source import Source

__all__ = ["Sources"]

LOOKED_AT = 100
"""So many elements of a collection are looked at when later steps are checked."""

CUSTOM = "derive from Source in flott.datastream.connectors, and use from_source(...)"


class Sources:
    """The ways in."""

    def from_collection(self, collection: Iterable[Any], type_info: DeclaredType | None = None) -> DataStream:
        """Makes a stream of the elements of a collection; one subtask reads them, in order.

        Args:
            collection: The elements; anything that can be pickled.
            type_info: Their type. Elements are checked against it, and get the shape of a Row or tuple type.
        """
        if not isinstance(collection, Iterable):
            raise GraphError(
                f"from_collection({collection!r:.100}): give a list of elements, as in from_collection([1, 2])"
            )
        elements = list(collection)
        kind = declared("from_collection(...)", type_info)
        if type_info is not None:
            elements = [_conforming(index, element, kind) for index, element in enumerate(elements)]
        source = CollectionSource(elements, kind)
        stream = self._source("Collection Source", source, None, kind, tuple(islice(elements, LOOKED_AT)))
        return stream.force_non_parallel()

    def from_elements(self, *elements: Any) -> DataStream:
        """Makes a stream of the given elements."""
        return self.from_collection(elements)

    def from_data(self, *data: Any) -> DataStream:
        """Makes a stream of the given elements, or of those of the one collection given."""
        if len(data) == 1 and isinstance(data[0], (list, tuple, set, frozenset)):
            return self.from_collection(data[0])
        return self.from_collection(data)

    def from_sequence(self, start: int, end: int) -> DataStream:
        """Makes a stream of the whole numbers from ``start`` to ``end``, both included."""
        source = NumberSequenceSource(start, end)
        return self._source("Sequence Source", source, None, source.get_produced_type())

    def from_source(
        self,
        source: Source,
        watermark_strategy: WatermarkStrategy,
        source_name: str,
        type_info: DeclaredType | None = None,
    ) -> DataStream:
        """Makes a stream of what a source reads.

        Args:
            source: A Source, such as those of flott.datastream.connectors.
            watermark_strategy: Where timestamps come from and how event time follows, in each split of the source.
            source_name: What the source is called in plans and logs.
            type_info: The type of the records, if the source does not know it.
        """
        _check_source("from_source(...)", source)
        strategy = strategy_of("from_source(...)", watermark_strategy)
        return self._source(source_name, source, strategy, _type_of(source, type_info))

    def add_source(
        self,
        source_func: SourceFunction | Source,
        source_name: str = "Custom Source",
        type_info: DeclaredType | None = None,
    ) -> DataStream:
        """Makes a stream of what a source reads, without timestamps."""
        if isinstance(source_func, SourceFunction):
            raise not_yet("add_source(...) with a SourceFunction", CUSTOM)
        _check_source("add_source(...)", source_func)
        return self._source(source_name, source_func, None, _type_of(source_func, type_info))

    def from_spark(
        self,
        frame: Any,
        watermark_strategy: WatermarkStrategy | None = None,
        source_name: str = "DataFrame",
        *,
        directory: str | None = None,
        available_now: bool = False,
    ) -> DataStream:
        """Makes a stream of the rows of a Spark DataFrame, a batch one or a streaming one.

        A batch DataFrame is computed once and its rows are written down, so that reading them again after a failure
        gives the same. Of a streaming DataFrame, each of Spark's batches is an epoch, and Spark's offsets are part
        of the job's checkpoints.

        Args:
            frame: The DataFrame; a streaming one without state of its own (no aggregation, no join of streams).
            watermark_strategy: Where timestamps come from and how event time follows.
            source_name: What the source is called in plans and logs.
            directory: Where rows are written on their way; by default below the checkpoint directory, else a
                temporary one. On a cluster all machines must reach it.
            available_now: Of a streaming DataFrame, read only what is there now, and end.
        """
        environment = cast("StreamExecutionEnvironment", self)
        strategy = None if watermark_strategy is None else strategy_of("from_spark(...)", watermark_strategy)
        source = source_of(frame, environment.get_configuration(), directory, available_now=available_now)
        return self._source(source_name, source, strategy, _type_of(source, None))

    def read_text_file(self, path: str, charset_name: str = "UTF-8") -> DataStream:
        """Makes a stream of the lines of a file, a directory or a pattern of files."""
        source = TextFileSource(path, charset=charset_name)
        return self._source(f"Read Text File Source: {path}", source, None, _type_of(source, None))

    def socket_text_stream(self, hostname: str, port: int, delimiter: str = "\n", max_retry: int = 0) -> DataStream:
        """Makes a stream of the text that a server sends, for trying things out; one subtask reads it.

        Args:
            hostname: The server.
            port: Its port.
            delimiter: What ends a record.
            max_retry: For how many seconds to try again when the connection is lost; -1 for ever.
        """
        source = SocketTextSource(hostname, port, delimiter, max_retry)
        return self._source("Socket Stream", source, None, source.get_produced_type()).force_non_parallel()

    def create_input(self, input_format: InputFormat[Any], type_info: TypeInformation | None = None) -> DataStream:
        """Makes a stream of what an InputFormat reads."""
        if not isinstance(input_format, InputFormat):
            raise GraphError(f"create_input(...): {input_format!r:.100} is no InputFormat; {CUSTOM}")
        check_picklable("create_input(...)", input_format)
        source = InputFormatSource(input_format)
        return self._source("Custom Source", source, None, _type_of(source, type_info))

    def _source(
        self,
        name: str,
        source: Source,
        strategy: WatermarkStrategy | None,
        type_info: TypeInformation,
        known: tuple[Any, ...] | None = None,
    ) -> DataStream:
        environment = cast("StreamExecutionEnvironment", self)
        step = PhysicalTransformation(
            id=environment.steps.next_id(),
            name=name,
            operator=SourceOperator(source, strategy, typed_records(type_info)),
            output_type=type_info,
            source=source,
        )
        return DataStream(environment, step, known)


def _check_source(call: str, source: Any) -> None:
    if isinstance(source, type) or not all(
        hasattr(source, name) for name in ("is_bounded", "create_enumerator", "read")
    ):
        raise GraphError(
            f"{call}: {source!r:.100} is no source; give an object such as NumberSequenceSource(1, 100) from "
            f"flott.datastream.connectors, or {CUSTOM}"
        )
    check_picklable(call, source)


def _type_of(source: Any, type_info: DeclaredType | None) -> TypeInformation:
    if type_info is None and hasattr(source, "get_produced_type"):
        type_info = source.get_produced_type()
    return declared("from_source(...)", type_info)


def _conforming(index: int, element: Any, type_info: TypeInformation) -> Any:
    try:
        return conform(element, type_info)
    except (ValueError, TypeError, AttributeError) as error:
        raise GraphError(
            f"from_collection(...): element {index}, {element!r:.100}, is not of the declared type {type_info!r}: "
            f"{error}"
        ) from None
