"""Avro files and messages, as PyFlink names them; needs ``flott[avro]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo import PickledBytesTypeInfo
from flott.connectors.avro_format import AvroFormat, AvroWriterFactory, parsed
from flott.connectors.avro_messages import AvroRowDeserializationSchema, AvroRowSerializationSchema

if TYPE_CHECKING:
    from flott.common.serialization import BulkWriterFactory

__all__ = [
    "AvroBulkWriters",
    "AvroRecordFormat",
    "AvroRowDeserializationSchema",
    "AvroRowSerializationSchema",
    "AvroSchema",
    "GenericRecordAvroTypeInfo",
]


class AvroSchema:
    """A schema of Avro.

    >>> AvroSchema.parse_string('{"type": "record", "name": "Word", "fields": [{"name": "text", "type": "string"}]}')
    AvroSchema(Word)
    """

    def __init__(self, json_schema: str) -> None:
        self.text = json_schema
        self.name = str(parsed(json_schema).get("name", json_schema))

    @staticmethod
    def parse_string(json_schema: str) -> AvroSchema:
        """Returns the schema that JSON text means."""
        return AvroSchema(json_schema)

    @staticmethod
    def parse_file(file_path: str) -> AvroSchema:
        """Returns the schema in a file (.avsc)."""
        return AvroSchema(Path(file_path).read_text(encoding="utf-8"))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"AvroSchema({self.name})"


class GenericRecordAvroTypeInfo(PickledBytesTypeInfo):
    """The type of records that an Avro schema describes: dicts, lists and plain values."""

    __slots__ = ("schema",)

    def __init__(self, schema: AvroSchema) -> None:
        super().__init__()
        self.schema = schema


class AvroRecordFormat(AvroFormat):
    """Reads the records of Avro files as dicts: ``FileSource.for_bulk_file_format(AvroRecordFormat(schema), path)``."""

    def __init__(self, schema: AvroSchema) -> None:
        """Chooses the schema to read by; files may have been written with an older one.

        Args:
            schema: The schema.
        """
        super().__init__(schema.text)


class AvroBulkWriters:
    """Makes writers of Avro files for a FileSink."""

    @staticmethod
    def for_generic_record(schema: AvroSchema) -> BulkWriterFactory[Any]:
        """Returns a factory of writers for records: dicts, or Rows and tuples with the schema's fields in order."""
        return AvroWriterFactory(schema.text)
