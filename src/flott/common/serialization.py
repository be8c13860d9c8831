"""Schemas: how records become the bytes of a message or a file, and back."""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod
from itertools import repeat
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeVar

from flott.common.typeinfo import Types

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation
    from flott.common.types import Row

__all__ = [
    "BulkWriter", "BulkWriterFactory", "ByteArraySchema", "DeserializationSchema", "Encoder",
    "RowDataBulkWriterFactory", "RowFieldExtractorSchema", "SerializationSchema",
    "SimpleStringSchema",
]  # fmt: skip

T = TypeVar("T")


class SerializationSchema(ABC, Generic[T]):
    """Turns a record into the bytes of a message; subclass it for a format of your own.

    >>> import json
    >>> class AsJson(SerializationSchema):
    ...     def serialize(self, value):
    ...         return json.dumps(value).encode()
    >>> AsJson().serialize({"a": 1})
    b'{"a": 1}'
    """

    def open(self) -> None:
        """Prepares for work, once per worker."""

    @abstractmethod
    def serialize(self, value: T) -> bytes:
        """Returns the bytes of a record."""


class DeserializationSchema(ABC, Generic[T]):
    """Turns the bytes of a message into a record; subclass it for a format of your own.

    >>> import json
    >>> class FromJson(DeserializationSchema):
    ...     def deserialize(self, message):
    ...         return json.loads(message)
    >>> FromJson().deserialize(b'{"a": 1}')
    {'a': 1}
    """

    def open(self) -> None:
        """Prepares for work, once per worker."""

    @abstractmethod
    def deserialize(self, message: bytes) -> T | None:
        """Returns the record of a message, or None to skip it."""

    def deserialize_all(self, messages: list[bytes]) -> list[T | None]:
        """Returns the records of many messages; sources that read many at once call this."""
        return list(map(self.deserialize, messages))

    def is_end_of_stream(self, next_element: T) -> bool:
        """Says whether the stream ends with this record."""
        return False

    def get_produced_type(self) -> TypeInformation:
        """Returns the type of the records."""
        return Types.PICKLED_BYTE_ARRAY()


class SimpleStringSchema(SerializationSchema[str], DeserializationSchema[str]):
    """Text, encoded as UTF-8 or in another charset.

    >>> schema = SimpleStringSchema()
    >>> schema.serialize("flott"), schema.deserialize(b"flott")
    (b'flott', 'flott')
    """

    def __init__(self, charset: str = "UTF-8") -> None:
        self.charset = _checked_charset(charset)

    def serialize(self, value: str) -> bytes:
        """Returns the bytes of a text."""
        if not isinstance(value, str):
            raise TypeError(
                f"SimpleStringSchema writes strings, not {value!r}; put .map(str, Types.STRING()) before the sink"
            )
        return value.encode(self.charset)

    def deserialize(self, message: bytes) -> str:
        """Returns the text of a message."""
        return message.decode(self.charset)

    def deserialize_all(self, messages: list[bytes]) -> list[str | None]:
        """Returns the texts of many messages."""
        if type(self).deserialize is not SimpleStringSchema.deserialize:
            return super().deserialize_all(messages)
        return list(map(str, messages, repeat(self.charset)))

    def get_produced_type(self) -> TypeInformation:
        """Returns the type of text."""
        return Types.STRING()


class ByteArraySchema(SerializationSchema[bytes], DeserializationSchema[bytes]):
    """Bytes, as they are.

    >>> ByteArraySchema().deserialize(b"any")
    b'any'
    """

    def serialize(self, value: bytes) -> bytes:
        """Returns the bytes themselves."""
        if not isinstance(value, (bytes, bytearray)):
            raise TypeError(f"ByteArraySchema writes bytes, not {value!r}")
        return bytes(value)

    def deserialize(self, message: bytes) -> bytes:
        """Returns the bytes themselves."""
        return message

    def get_produced_type(self) -> TypeInformation:
        """Returns the type of bytes."""
        return Types.PRIMITIVE_ARRAY(Types.BYTE())


class RowFieldExtractorSchema(SerializationSchema["Row | None"]):
    """Takes the bytes of a message from one field of a Row, say for the key of a Kafka message.

    >>> from flott.common import Row
    >>> RowFieldExtractorSchema(1).serialize(Row(b"key", b"value"))
    b'value'
    """

    def __init__(self, field_index: int) -> None:
        if field_index < 0:
            raise ValueError(f"a field index is 0 or more, not {field_index}")
        self.field_index = field_index

    def serialize(self, value: Row | None) -> bytes:
        """Returns the bytes in the field; none if the row or the field is None."""
        if value is None:
            return b""
        if self.field_index >= len(value):
            raise ValueError(f"there is no field {self.field_index} in {value!r}")
        field = value[self.field_index]
        if field is None:
            return b""
        if not isinstance(field, (bytes, bytearray)):
            raise ValueError(  # noqa: TRY004 - what PyFlink raises
                f"field {self.field_index} must hold bytes, not {field!r}; encode it in a map before"
            )
        return bytes(field)


class Encoder(ABC, Generic[T]):
    """Writes records to a file one after the other; `simple_string_encoder` writes one per line."""

    @abstractmethod
    def encode(self, element: T, stream: BinaryIO) -> None:
        """Writes a record to the end of a file."""

    @staticmethod
    def simple_string_encoder(charset_name: str = "UTF-8") -> Encoder[Any]:
        r"""Returns an encoder that writes `str(record)` and a line feed.

        >>> from io import BytesIO
        >>> file = BytesIO()
        >>> Encoder.simple_string_encoder().encode(42, file)
        >>> file.getvalue()
        b'42\n'
        """
        return _SimpleStringEncoder(charset_name)


class _SimpleStringEncoder(Encoder[Any]):
    def __init__(self, charset_name: str) -> None:
        self.charset = _checked_charset(charset_name)

    def encode(self, element: Any, stream: BinaryIO) -> None:
        stream.write(f"{element}\n".encode(self.charset))


class BulkWriter(ABC, Generic[T]):
    """Writes many records into one file of a format such as Parquet."""

    @abstractmethod
    def add_element(self, element: T) -> None:
        """Adds a record to the file."""

    def flush(self) -> None:
        """Writes what is held back, if the format allows it."""

    @abstractmethod
    def finish(self) -> None:
        """Completes the file, with a footer if the format has one; does not close the stream."""


class BulkWriterFactory(ABC, Generic[T]):
    """Opens a BulkWriter for each new file of a file sink."""

    @abstractmethod
    def create(self, stream: BinaryIO) -> BulkWriter[T]:
        """Returns a writer that writes to the given file."""


class RowDataBulkWriterFactory(BulkWriterFactory["Row"]):
    """A BulkWriterFactory for rows, which knows their type."""

    def __init__(self, row_type: TypeInformation) -> None:
        self._row_type = row_type

    def get_row_type(self) -> TypeInformation:
        """Returns the type of the rows."""
        return self._row_type


def _checked_charset(name: str) -> str:
    try:
        codecs.lookup(name)
    except LookupError:
        raise ValueError(f"there is no charset '{name}'; use UTF-8, say, or ISO-8859-1") from None
    return name
