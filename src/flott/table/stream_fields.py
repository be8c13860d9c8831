"""Which columns a stream has as a table: those of its type, or those of them that a Schema wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from flott.common.typeinfo import BasicTypeInfo, RowTypeInfo, TupleTypeInfo, TypeInformation
from flott.table.arrow_types import from_arrow_type
from flott.table.errors import NotYetError, TableError, did_you_mean
from flott.table.plan.nodes import Field

if TYPE_CHECKING:
    from flott.table.schema import Schema
    from flott.table.types import DataType


def stream_fields(type_info: TypeInformation, schema: Schema | None) -> tuple[list[int], list[Field]]:
    """Return the fields to read, with their positions in a record.

    With a schema that names fields, only those are read, and what its computed columns are made of.

    >>> from flott.common import Types
    >>> from flott.table.schema import Schema
    >>> schema = Schema.new_builder().column("f1", "STRING").column_by_expression("at", "TO_TIMESTAMP(f0)").build()
    >>> stream_fields(Types.TUPLE([Types.STRING(), Types.STRING(), Types.LONG()]), schema)[0]
    [0, 1]
    """
    if schema is not None and any(column.metadata is not None for column in schema.columns):
        raise NotYetError("metadata columns of a stream can't be read yet; put the timestamp into the records")
    declared = {column.name: column.type for column in schema.stored()} if schema is not None else {}
    found = _fields_of(type_info)
    if found is None:
        if not declared:
            raise TableError(
                f"from_data_stream(…): the stream has the type {type_info!r}, which has no columns; declare it, as in "
                "map(…, output_type=Types.ROW_NAMED(['id'], [Types.LONG()])), or give a Schema with the columns"
            )
        fields = [Field(name, kind) for name, kind in declared.items() if kind is not None]
        return list(range(len(fields))), fields
    for name in declared:
        if name not in found:
            raise TableError(
                f"from_data_stream(…): the Schema has a column '{name}', and the stream has no such field"
                f"{did_you_mean(name, found)}; its fields are {', '.join(found)}"
            )
    wanted = {*declared, *_used(schema)} if schema is not None and declared else set(found)
    chosen = [(place, name) for place, name in enumerate(found) if name in wanted]
    fields = [Field(name, declared.get(name) or _data_type(found[name], name)) for _, name in chosen]
    return [place for place, _ in chosen], fields


def _fields_of(type_info: TypeInformation) -> dict[str, TypeInformation] | None:
    if isinstance(type_info, RowTypeInfo):
        return dict(zip(type_info.get_field_names(), type_info.get_field_types(), strict=True))
    if isinstance(type_info, TupleTypeInfo):
        return {f"f{place}": kind for place, kind in enumerate(type_info.get_field_types())}
    return {"f0": type_info} if isinstance(type_info, BasicTypeInfo) else None


def _used(schema: Schema) -> set[str]:
    """Return the names of what computed columns are made of."""
    trees = [column.expression for column in schema.columns if column.expression is not None]
    return {part.parts[0].name for tree in trees for part in tree.find_all(exp.Column)}


def _data_type(type_info: TypeInformation, name: str) -> DataType:
    arrow = type_info.arrow_type()
    if arrow is None:
        raise TableError(
            f"from_data_stream(…): field '{name}' has the type {type_info!r}, which is no column; give a Schema"
        )
    return from_arrow_type(arrow)
