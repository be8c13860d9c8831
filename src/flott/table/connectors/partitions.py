"""Files in directories by the values of columns, as in ``day=2024-01-31/hour=12``; the files hold the other columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import unquote

import pyarrow as pa

from flott.common.serialization import BulkWriter, BulkWriterFactory, Encoder
from flott.connectors.bucket_assigners import BucketAssigner
from flott.errors import FlottError
from flott.table.connectors.file_formats import text_of
from flott.table.functions.casts import converted
from flott.table.functions.registry import Session
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.types import DataType

DEFAULT_NAME = "__DEFAULT_PARTITION__"
"""Stands for NULL and for empty text; the option 'partition.default-name' says another."""
SPECIAL = re.compile(r"""[\x00-\x1f"#%'*/:=?\\\x7f{\[\]^]""")


def escaped(text: str) -> str:
    """Return a value as part of a path.

    >>> escaped("12:30 a/b")
    '12%3A30 a%2Fb'
    """
    return SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", text)


class ByColumns(BucketAssigner):
    """Writes rows to directories by the values of columns."""

    def __init__(self, names: Sequence[str], types: Sequence[DataType], default: str) -> None:
        self.pairs = list(zip(names, types, strict=True))
        self.default = default

    def get_bucket_id(self, element: Any, context: Any) -> str:
        return "/".join(f"{escaped(name)}={self._value(element[name], kind)}" for name, kind in self.pairs)

    def _value(self, value: Any, kind: DataType) -> str:
        return self.default if value is None or value == "" else escaped(text_of(value, kind))


@dataclass(frozen=True, slots=True)
class PartitionValue:
    """The value of a column that stands in the path of a file.

    >>> PartitionValue("hour", DataTypes.INT()).of("/data/day=1/hour=12/part-0.csv")
    <pyarrow.Int32Scalar: 12>
    """

    name: str
    type: DataType
    default: str = DEFAULT_NAME

    def of(self, path: str) -> Any:
        """Return the value for all rows of a file."""
        for part in path.split("/"):
            name, _, value = part.partition("=")
            if unquote(name) == self.name:
                text = pa.array([None if value == self.default else unquote(value)], pa.string())
                return converted(text, DataTypes.STRING(), self.type, Session(), lenient=False)[0]
        raise FlottError(f"'{path}' is in no directory '{self.name}=…', by which the table is PARTITIONED")


class SomeColumns(Encoder[Any]):
    """Writes some columns of each row as a line."""

    def __init__(self, encoder: Encoder[Any], places: Sequence[int]) -> None:
        self.encoder = encoder
        self.places = list(places)

    def encode(self, element: Any, stream: BinaryIO) -> None:
        """Write a row."""
        self.encoder.encode([element[place] for place in self.places], stream)


class SomeColumnsWriterFactory(BulkWriterFactory[Any]):
    """Opens files for some columns of each row."""

    def __init__(self, factory: BulkWriterFactory[Any], places: Sequence[int]) -> None:
        self.factory = factory
        self.places = list(places)

    def create(self, stream: BinaryIO) -> BulkWriter[Any]:
        """Return the writer of one file."""
        return SomeColumnsWriter(self.factory.create(stream), self.places)


class SomeColumnsWriter(BulkWriter[Any]):
    """Hands on some columns of each row."""

    def __init__(self, writer: BulkWriter[Any], places: Sequence[int]) -> None:
        self._writer = writer
        self._places = places

    def add_element(self, element: Any) -> None:
        """Add a row."""
        self._writer.add_element(tuple(element[place] for place in self._places))

    def flush(self) -> None:
        """Write the rows that are held."""
        self._writer.flush()

    def finish(self) -> None:
        """Write the end of the file."""
        self._writer.finish()
