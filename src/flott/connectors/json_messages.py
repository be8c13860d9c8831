"""Messages of JSON: a row is an object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from flott.common.serialization import DeserializationSchema, SerializationSchema
from flott.connectors.message_values import checked_row, from_json, json_text, to_json
from flott.errors import FlottError, GraphError

if TYPE_CHECKING:
    from flott.common import Row
    from flott.common.typeinfo import RowTypeInfo, TypeInformation


class JsonRowDeserializationSchema(DeserializationSchema["Row"]):
    """Reads messages that are objects of JSON; fields that are not in the type are left out.

    >>> from flott.common import Types
    >>> kind = Types.ROW_NAMED(["id", "item"], [Types.LONG(), Types.STRING()])
    >>> schema = JsonRowDeserializationSchema.builder().type_info(kind).build()
    >>> schema.deserialize(b'{"id": 1, "item": "tea", "more": true}')
    Row(id=1, item='tea')
    """

    def __init__(self, row_type: RowTypeInfo, *, fail_on_missing_field: bool, ignore_parse_errors: bool) -> None:
        self._type = row_type
        self._strict = fail_on_missing_field
        self._ignore = ignore_parse_errors

    def deserialize(self, message: bytes) -> Row | None:
        """Returns the row of a message; None for one that can't be read, if such are to be ignored."""
        try:
            row: Row | None = from_json(self._type, json.loads(message), strict=self._strict, lenient=self._ignore)
        except (ValueError, OverflowError, RecursionError) as error:
            if self._ignore:
                return None
            raise FlottError(f"failed to deserialize JSON {message!r:.200}: {error}") from None
        return row

    def get_produced_type(self) -> TypeInformation:
        """Returns the type of the rows."""
        return self._type

    @staticmethod
    def builder() -> Builder:
        """Starts to build a schema."""
        return JsonRowDeserializationSchema.Builder()

    class Builder:
        """Gathers the settings of a schema."""

        def __init__(self) -> None:
            self._type: Any = None
            self._fail_on_missing_field = False
            self._ignore_parse_errors = False

        def type_info(self, type_info: TypeInformation) -> JsonRowDeserializationSchema.Builder:
            """Says what the rows are: the names of the fields are those of the objects."""
            self._type = type_info
            return self

        def json_schema(self, json_schema: str) -> JsonRowDeserializationSchema.Builder:
            """Refuses: the type has to be said as a type."""
            raise GraphError("json_schema(...) is not there yet; say it as type_info(Types.ROW_NAMED([...], [...]))")

        def fail_on_missing_field(self) -> JsonRowDeserializationSchema.Builder:
            """Lets a message fail that lacks a field; else the field is None."""
            self._fail_on_missing_field = True
            return self

        def ignore_parse_errors(self) -> JsonRowDeserializationSchema.Builder:
            """Drops messages that can't be read; a field with a wrong value is None."""
            self._ignore_parse_errors = True
            return self

        def build(self) -> JsonRowDeserializationSchema:
            """Returns the schema."""
            kind = checked_row(self._type, "JsonRowDeserializationSchema: type_info(...)")
            if self._fail_on_missing_field and self._ignore_parse_errors:
                raise GraphError("JSON: fail_on_missing_field() and ignore_parse_errors() can't both be asked for")
            return JsonRowDeserializationSchema(
                kind, fail_on_missing_field=self._fail_on_missing_field, ignore_parse_errors=self._ignore_parse_errors
            )


class JsonRowSerializationSchema(SerializationSchema["Row"]):
    """Writes rows as objects of JSON.

    >>> from flott.common import Row, Types
    >>> schema = JsonRowSerializationSchema.builder().with_type_info(Types.ROW([Types.INT(), Types.STRING()])).build()
    >>> schema.serialize(Row(1, "hi"))
    b'{"f0":1,"f1":"hi"}'
    """

    def __init__(self, row_type: RowTypeInfo) -> None:
        self._type = row_type

    def serialize(self, value: Row) -> bytes:
        """Returns the message of a row."""
        return json_text(to_json(self._type, value)).encode()

    @staticmethod
    def builder() -> Builder:
        """Starts to build a schema."""
        return JsonRowSerializationSchema.Builder()

    class Builder:
        """Gathers the settings of a schema."""

        def __init__(self) -> None:
            self._type: Any = None

        def with_type_info(self, type_info: TypeInformation) -> JsonRowSerializationSchema.Builder:
            """Says what the rows are: the names of the fields are those of the objects."""
            self._type = type_info
            return self

        def build(self) -> JsonRowSerializationSchema:
            """Returns the schema."""
            if self._type is None:
                raise TypeError("Typeinfo should be set.")
            return JsonRowSerializationSchema(
                checked_row(self._type, "JsonRowSerializationSchema: with_type_info(...)")
            )
