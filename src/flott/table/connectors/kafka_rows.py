"""Between messages and rows: messages become columns, many at once; a row becomes a message."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.common.types import RowKind
from flott.connectors.kafka.records import NO_TIMESTAMP, KafkaRecordDeserializationSchema, consumer_record
from flott.connectors.kafka.serialization import KafkaProducerRecord, KafkaRecordSerializationSchema
from flott.runtime.batch import Batch
from flott.table.connectors.file_formats import line_encoder
from flott.table.runtime.changes import pack
from flott.table.runtime.line_parser import LineParser
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.connectors.kafka.records import KafkaConsumerRecord
    from flott.table.connectors.kafka_options import KafkaLayout
    from flott.table.plan.nodes import Field
    from flott.table.types import DataType

METADATA: dict[str, DataType] = {
    "topic": DataTypes.STRING().not_null(),
    "partition": DataTypes.INT().not_null(),
    "offset": DataTypes.BIGINT().not_null(),
    "timestamp": DataTypes.TIMESTAMP_LTZ(3).not_null(),
    "headers": DataTypes.MAP(DataTypes.STRING(), DataTypes.BYTES()).not_null(),
}
GONE = frozenset({RowKind.DELETE, RowKind.UPDATE_BEFORE})


class MessagesToColumns(KafkaRecordDeserializationSchema):
    """Reads messages in columns. What a column is made of: a key of METADATA, or the message's key or value."""

    def __init__(self, layout: KafkaLayout, fields: Sequence[Field], metadata: dict[str, str | None]) -> None:
        wanted = [field.name for field in fields]
        self.columns = [(metadata.get(name), name) for name in wanted]
        from_value = [name for name in layout.value if name in wanted] or list(layout.value[:1])
        self.value = _parser(layout.value_format, list(layout.value), layout, from_value)
        self.value_names = from_value
        from_key = [name for name in layout.key if name in wanted and name not in from_value]
        self.key_names = from_key
        self.key = None if layout.key_format is None else _parser(layout.key_format, layout.key, layout, from_key)

    def deserialize(self, record: KafkaConsumerRecord) -> Any:
        """Messages are read many at once."""
        raise NotImplementedError

    def batch(self, messages: list[Any]) -> Batch:
        found = [message for message in messages if message.value() is not None]
        if not found:
            return Batch([])
        kept, values = _columns(self.value, [message.value() for message in found], "a message's value")
        found = [found[place] for place in kept]
        if not found:
            return Batch([])
        made = dict(zip(self.value_names, values, strict=True))
        if self.key is not None and self.key_names:
            keyed, keys = _columns(self.key, [message.key() or b"" for message in found], "a message's key")
            if len(keyed) < len(found):
                found = [found[place] for place in keyed]
                made = {name: column.take(pa.array(keyed, pa.int64())) for name, column in made.items()}
            made.update(zip(self.key_names, keys, strict=True))
        if not found:
            return Batch([])
        return pack([_metadata(key, found) if key else made[name] for key, name in self.columns], None)


def _parser(form: Any, names: Sequence[str], layout: KafkaLayout, wanted: list[str]) -> LineParser:
    plain = {name: name.removeprefix(layout.prefix) if name in layout.key else name for name in names}
    if names == list(layout.value):
        plain = {name: name for name in names}
    return LineParser(
        form, list(plain.values()), [layout.types[name] for name in names], [plain[name] for name in wanted]
    )


def _columns(parser: LineParser, texts: list[bytes], where: str) -> tuple[list[int], list[Any]]:
    """Return the columns of texts, a row each, and which texts they are of: some may not be readable."""
    if parser.form.name == "json":
        texts = [text.replace(b"\n", b" ") if b"\n" in text else text for text in texts]
    else:
        texts = [text.removesuffix(b"\n") for text in texts]
    together = parser.columns(b"\n".join(texts), where)
    if together is not None and len(together[0]) == len(texts):
        return list(range(len(texts))), together
    singles = [(place, parser.columns(text, where)) for place, text in enumerate(texts)]
    readable = [(place, columns) for place, columns in singles if columns is not None]
    pieces = list(zip(*(columns for _, columns in readable), strict=True))
    return [place for place, _ in readable], [pa.concat_arrays(column) for column in pieces]


def _metadata(key: str, messages: list[Any]) -> Any:
    if key == "topic":
        return pa.array([message.topic() for message in messages], pa.string())
    if key == "partition":
        return pa.array([message.partition() for message in messages], pa.int32())
    if key == "offset":
        return pa.array([message.offset() for message in messages], pa.int64())
    if key == "timestamp":
        stamps = [message.timestamp()[1] for message in messages]
        return pa.array([None if one == NO_TIMESTAMP else one * 1000 for one in stamps], pa.timestamp("us", "UTC"))
    headers = [list(dict(consumer_record(message).headers).items()) for message in messages]
    return pa.array(headers, pa.map_(pa.string(), pa.binary()))


class RowsToMessages(KafkaRecordSerializationSchema):
    """Writes a row as a message; where rows have a key, one that is gone as a message without value."""

    def __init__(self, topic: str, layout: KafkaLayout, names: Sequence[str], *, upserts: bool = False) -> None:
        self.topic = topic
        self.upserts = upserts
        places = {name: place for place, name in enumerate(names)}
        types = layout.types
        self.value_places = [places[name] for name in layout.value]
        self.value = line_encoder(layout.value_format, list(layout.value), [types[name] for name in layout.value])
        self.key_places = [places[name] for name in layout.key]
        self.key = None
        if layout.key_format is not None:
            self.key = line_encoder(layout.key_format, layout.key_names(), [types[name] for name in layout.key])

    def serialize(self, element: Any, timestamp: int | None) -> KafkaProducerRecord | None:
        key = None if self.key is None else _text(self.key, [element[place] for place in self.key_places])
        if self.upserts and element.get_row_kind() in GONE:
            return KafkaProducerRecord(self.topic, None, key)
        return KafkaProducerRecord(self.topic, _text(self.value, [element[place] for place in self.value_places]), key)


def _text(encoder: Any, values: list[Any]) -> bytes:
    stream = io.BytesIO()
    encoder.encode(values, stream)
    return stream.getvalue().removesuffix(b"\n")
