"""Strings and bytes of a length: CHAR, VARCHAR, BINARY and VARBINARY."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.errors import FlottError
from flott.table import types as t

WITH_LENGTH = (t.CharType, t.VarCharType, t.BinaryType, t.VarBinaryType)


def has_length(kind: t.DataType) -> bool:
    """Return whether values of a type have a greatest length."""
    return isinstance(kind, WITH_LENGTH) and kind.length != t.MAX_LENGTH


LONGEST_MADE = 2**26
"""The longest string or bytes that padding and repeating make; far more does not fit into memory."""


def check_made(length: int, what: str) -> None:
    """Refuse to make a value of more than 64 million characters or bytes; Flink fails for want of memory.

    >>> check_made(2**31 - 1, "LPAD")
    Traceback (most recent call last):
    flott.errors.FlottError: LPAD: a value of 2147483647 characters is too long; 67108864 are the most
    """
    if length > LONGEST_MADE:
        raise FlottError(f"{what}: a value of {length} characters is too long; {LONGEST_MADE} are the most")


def of_length(column: Any, kind: Any) -> Any:
    r"""Return values cut to the length of their type; those of a fixed length are padded with blanks, or with zeros.

    >>> of_length(pa.array(["abc", "a"]), t.CharType(True, 2)).to_pylist()
    ['ab', 'a ']
    >>> of_length(pa.array([b"abc", b"a"]), t.BinaryType(True, 2)).to_pylist()
    [b'ab', b'a\x00']
    """
    if not has_length(kind):
        return column
    if isinstance(kind, (t.CharType, t.BinaryType)):
        check_made(kind.length, f"{kind.nullable()!r}")
    if pa.types.is_string(column.type):
        cut = pc.utf8_slice_codeunits(column, 0, kind.length)
        return pc.utf8_rpad(cut, kind.length) if isinstance(kind, t.CharType) else cut
    cut = pc.binary_slice(column, 0, kind.length)
    if not isinstance(kind, t.BinaryType):
        return cut
    given = [cut.as_py()] if isinstance(cut, pa.Scalar) else cut.to_pylist()
    padded = pa.array([None if one is None else one.ljust(kind.length, b"\0") for one in given], column.type)
    return padded[0] if isinstance(column, pa.Scalar) else padded
