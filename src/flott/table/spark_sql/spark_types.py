"""Types of columns as Spark SQL writes them."""

from __future__ import annotations

from flott.table import types as t

_NAMES: dict[type[t.DataType], str] = {
    t.BooleanType: "BOOLEAN",
    t.TinyIntType: "TINYINT",
    t.SmallIntType: "SMALLINT",
    t.IntType: "INT",
    t.BigIntType: "BIGINT",
    t.FloatType: "FLOAT",
    t.DoubleType: "DOUBLE",
    t.CharType: "STRING",
    t.VarCharType: "STRING",
    t.BinaryType: "BINARY",
    t.VarBinaryType: "BINARY",
    t.DateType: "DATE",
    t.TimestampType: "TIMESTAMP_NTZ",
    t.LocalZonedTimestampType: "TIMESTAMP",
}


class UntranslatableError(Exception):
    """A part of a query that Spark SQL can't say, or would understand in another way; its text is the reason."""


def spark_type(kind: t.DataType) -> str:
    """Return a type as Spark SQL writes it.

    >>> from flott.table.types import DataTypes
    >>> spark_type(DataTypes.TIMESTAMP(3)), spark_type(DataTypes.DECIMAL(5, 2))
    ('TIMESTAMP_NTZ', 'DECIMAL(5, 2)')
    """
    if isinstance(kind, t.DecimalType):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    name = _NAMES.get(type(kind))
    if name is None:
        raise UntranslatableError(f"columns of type {kind.nullable()!r}")
    return name
