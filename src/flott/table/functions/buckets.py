"""$BUCKET: which of some parts a value belongs to."""

from __future__ import annotations

from zlib import crc32

from flott.table.functions.registry import anything, row_by_row, scalar, takes
from flott.table.types import DataTypes

INT = DataTypes.INT()


def bucket(value: object, count: int) -> int:
    """Return the part of a value, the same in every process.

    >>> bucket("a", 1024), bucket(7, 4)
    (762, 2)
    """
    return crc32(repr(value).encode()) % count


scalar("$BUCKET", bind=takes(INT, anything, anything))(row_by_row(bucket))
