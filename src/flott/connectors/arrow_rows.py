"""The columns of files, as the types of records: what a row type means in Arrow, and what Arrow's types mean here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.common.typeinfo import Types
from flott.errors import GraphError

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation

SIMPLE = {
    pa.bool_(): Types.BOOLEAN,
    pa.int8(): Types.BYTE,
    pa.int16(): Types.SHORT,
    pa.int32(): Types.INT,
    pa.int64(): Types.LONG,
    pa.uint8(): Types.SHORT,
    pa.uint16(): Types.INT,
    pa.uint32(): Types.LONG,
    pa.float32(): Types.FLOAT,
    pa.float64(): Types.DOUBLE,
    pa.string(): Types.STRING,
    pa.large_string(): Types.STRING,
    pa.date32(): Types.SQL_DATE,
}

FAMILIES = (
    (pa.types.is_decimal, Types.BIG_DEC),
    (lambda kind: pa.types.is_timestamp(kind) and kind.tz is None, Types.SQL_TIMESTAMP),
    (pa.types.is_time, Types.SQL_TIME),
    (
        lambda kind: pa.types.is_binary(kind) or pa.types.is_large_binary(kind),
        lambda: Types.PRIMITIVE_ARRAY(Types.BYTE()),
    ),
)


def schema_of(call: str, row_type: Any) -> pa.Schema:
    """Return the columns that a row type means: DataTypes.ROW, Types.ROW_NAMED, or a schema of Arrow.

    >>> schema_of("x", Types.ROW_NAMED(["id"], [Types.LONG()])).names
    ['id']
    """
    if isinstance(row_type, pa.Schema):
        return row_type
    tell = getattr(row_type, "arrow_type", None)
    struct = None if tell is None else tell()
    if struct is None or not pa.types.is_struct(struct):
        raise GraphError(
            f"{call}: {row_type!r:.100} is no row of columns; give DataTypes.ROW([DataTypes.FIELD('id', "
            "DataTypes.BIGINT())]), Types.ROW_NAMED(['id'], [Types.LONG()]), or a pyarrow.Schema"
        )
    return pa.schema([struct.field(position) for position in range(struct.num_fields)])


def row_type_of(schema: pa.Schema) -> TypeInformation:
    """Return the type of the records that have these columns.

    >>> row_type_of(pa.schema([("id", pa.int64()), ("tags", pa.list_(pa.string()))]))
    RowTypeInfo(id: Long, tags: ListTypeInfo<String>)
    """
    return Types.ROW_NAMED(schema.names, [type_of(field.type) for field in schema])


def type_of(kind: Any) -> TypeInformation:
    """Return the type of the values of a column."""
    simple = SIMPLE.get(kind)
    if simple is not None:
        return simple()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return Types.LIST(type_of(kind.value_type))
    if pa.types.is_dictionary(kind):
        return type_of(kind.value_type)
    # Nested rows are dicts, moments with a time zone are datetimes with one: any object.
    return next((made() for fits, made in FAMILIES if fits(kind)), Types.PICKLED_BYTE_ARRAY())


def columns_as_text(schema: Any) -> str:
    """Return the columns of an Arrow schema as a message shows them.

    >>> columns_as_text(pa.schema([("user", pa.string()), ("amount", pa.int64())]))
    'user: string, amount: int64'
    """
    return ", ".join(f"{field.name}: {field.type}" for field in schema)
