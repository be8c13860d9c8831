"""Messages of Avro: a row is a record, without the schema, which both sides know. Needs ``flott[avro]``."""

from __future__ import annotations

import datetime as dt
import io
from typing import TYPE_CHECKING, Any

from flott.common.serialization import DeserializationSchema, SerializationSchema
from flott.common.typeinfo import Types
from flott.common.types import Row
from flott.connectors.avro_format import fastavro, parsed
from flott.errors import FlottError, GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation

SIMPLE: dict[str, Callable[[], TypeInformation]] = {
    "boolean": Types.BOOLEAN, "int": Types.INT, "long": Types.LONG, "float": Types.FLOAT, "double": Types.DOUBLE,
    "string": Types.STRING, "enum": Types.STRING,
}  # fmt: skip
LOGICAL: dict[str, Callable[[], TypeInformation]] = {
    "date": Types.SQL_DATE, "time-millis": Types.SQL_TIME, "time-micros": Types.SQL_TIME, "decimal": Types.BIG_DEC,
    "timestamp-millis": Types.SQL_TIMESTAMP, "timestamp-micros": Types.SQL_TIMESTAMP,
}  # fmt: skip


def type_of(schema: Any) -> TypeInformation:  # noqa: PLR0911 - a case a line
    """Return the type of what a schema describes.

    >>> type_of({"type": "array", "items": ["null", "long"]})
    ListTypeInfo<Long>
    """
    kind, schema = _bare(schema)
    if schema.get("logicalType") in LOGICAL:
        return LOGICAL[schema["logicalType"]]()
    if kind == "record":
        fields = schema["fields"]
        return Types.ROW_NAMED([field["name"] for field in fields], [type_of(field["type"]) for field in fields])
    if kind == "array":
        return Types.LIST(type_of(schema["items"]))
    if kind == "map":
        return Types.MAP(Types.STRING(), type_of(schema["values"]))
    if kind in {"bytes", "fixed"}:
        return Types.PRIMITIVE_ARRAY(Types.BYTE())
    if kind in SIMPLE:
        return SIMPLE[kind]()
    return Types.PICKLED_BYTE_ARRAY()


def _bare(schema: Any) -> tuple[str, dict[str, Any]]:
    """Return what a schema is, and its details; of something that may be null, what it is else."""
    if isinstance(schema, list):
        present = [one for one in schema if one != "null"]
        return _bare(present[0]) if len(present) == 1 else ("union", {})
    if isinstance(schema, dict):
        inner = schema["type"]
        return (inner, schema) if isinstance(inner, str) else _bare(inner)
    return schema, {}


def to_row(schema: Any, value: Any) -> Any:
    """Return a value that Avro gave as PyFlink has it: records are Rows, times have no zone."""
    if value is None:
        return None
    kind, schema = _bare(schema)
    if kind == "record":
        fields = schema["fields"]
        return Row(*(field["name"] for field in fields))(*(to_row(one["type"], value[one["name"]]) for one in fields))
    if kind == "array":
        return [to_row(schema["items"], one) for one in value]
    if kind == "map":
        return {key: to_row(schema["values"], one) for key, one in value.items()}
    return value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value


def from_row(schema: Any, value: Any) -> Any:
    """Return a value as Avro takes it: the fields of a row are those of the record, in order."""
    if value is None:
        return None
    kind, schema = _bare(schema)
    if kind == "record":
        fields = schema["fields"]
        cells = [value[field["name"]] for field in fields] if isinstance(value, dict) else list(value)
        if len(cells) != len(fields):
            raise ValueError(f"it has {len(cells)} fields, and record {schema['name']} has {len(fields)}")
        pairs = zip(fields, cells, strict=True)
        return {field["name"]: from_row(field["type"], cell) for field, cell in pairs}
    if kind == "array":
        return [from_row(schema["items"], one) for one in value]
    if kind == "map":
        return {key: from_row(schema["values"], one) for key, one in value.items()}
    return value.replace(tzinfo=dt.timezone.utc) if isinstance(value, dt.datetime) and not value.tzinfo else value


def checked_schema(name: str, record_class: str | None, avro_schema_string: str | None) -> str:
    """Return the schema, which must be one of a record."""
    if record_class is not None:
        raise GraphError(f"{name}(record_class='{record_class}'): this is a class of Java; give avro_schema_string=…")
    if avro_schema_string is None:
        raise TypeError(f"{name}: avro_schema_string should be specified.")
    if _bare(parsed(avro_schema_string))[0] != "record":
        raise GraphError(f"{name}: the schema describes no record, and a row is one")
    return avro_schema_string


class AvroRowDeserializationSchema(DeserializationSchema["Row"]):
    """Reads messages that are records of Avro."""

    def __init__(self, record_class: str | None = None, avro_schema_string: str | None = None) -> None:
        self._text = checked_schema(type(self).__name__, record_class, avro_schema_string)
        self._schema: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_text": self._text, "_schema": None}

    def deserialize(self, message: bytes) -> Row | None:
        """Returns the row of a message."""
        if self._schema is None:
            self._schema = parsed(self._text)
        try:
            found = fastavro().schemaless_reader(io.BytesIO(message), self._schema, None)
        except Exception as error:  # noqa: BLE001 - whatever bytes of something else make of the reader
            raise FlottError(f"failed to deserialize Avro {message!r:.200}: {error!r}") from None
        row: Row = to_row(self._schema, found)
        return row

    def get_produced_type(self) -> TypeInformation:
        """Returns the type of the rows."""
        return type_of(parsed(self._text))


class AvroRowSerializationSchema(SerializationSchema["Row"]):
    """Writes rows as records of Avro.

    >>> record = '{"type": "record", "name": "Item", "fields": [{"name": "id", "type": "int"}]}'
    >>> AvroRowSerializationSchema(avro_schema_string=record).serialize(Row(32))
    b'@'
    """

    def __init__(self, record_class: str | None = None, avro_schema_string: str | None = None) -> None:
        self._text = checked_schema(type(self).__name__, record_class, avro_schema_string)
        self._schema: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_text": self._text, "_schema": None}

    def serialize(self, value: Row) -> bytes:
        """Returns the message of a row."""
        if self._schema is None:
            self._schema = parsed(self._text)
        out = io.BytesIO()
        try:
            fastavro().schemaless_writer(out, self._schema, from_row(self._schema, value))
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise FlottError(f"failed to serialize {value!r:.200} as Avro: {error!r}") from None
        return out.getvalue()
