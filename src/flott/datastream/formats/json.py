"""JSON: files, and messages such as Kafka's.

>>> from flott.common import Types
>>> from flott.datastream.connectors.file_system import FileSource
>>> orders = JsonReaderFormat.for_row_type(Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()]))
>>> source = FileSource.for_record_stream_format(orders, "orders/*.jsonl.gz").build()
"""

from __future__ import annotations

from typing import Any

from flott.connectors.arrow_rows import schema_of
from flott.connectors.json_lines import JsonLines
from flott.connectors.json_messages import JsonRowDeserializationSchema, JsonRowSerializationSchema

__all__ = ["JsonReaderFormat", "JsonRowDeserializationSchema", "JsonRowSerializationSchema"]


class JsonReaderFormat(JsonLines):
    """Reads files with an object of JSON on each line, compressed or not."""

    @staticmethod
    def for_row_type(row_type: Any) -> JsonReaderFormat:
        """Returns the format of objects with these fields; others are left out, missing ones are None.

        Args:
            row_type: The fields: DataTypes.ROW, Types.ROW_NAMED, or a pyarrow.Schema.
        """
        return JsonReaderFormat("utf-8", schema_of("JsonReaderFormat.for_row_type(...)", row_type))
