"""Schema: the columns of a table before expressions and types are looked at."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from flott.table.errors import TableError
from flott.table.sql.dialect import parse_expression
from flott.table.sql.type_text import parse_type
from flott.table.types import DataType, RowType
from flott.table.unresolved_column import UnresolvedColumn

if TYPE_CHECKING:
    from sqlglot import exp

    from flott.table.resolved_schema import ResolvedSchema

__all__ = ["Schema"]


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a table, its watermark and its primary key.

    >>> schema = (
    ...     Schema.new_builder()
    ...     .column("id", "BIGINT NOT NULL")
    ...     .column("at", "TIMESTAMP(3)")
    ...     .column_by_expression("double", "id * 2")
    ...     .watermark("at", "at - INTERVAL '5' SECOND")
    ...     .primary_key("id")
    ...     .build()
    ... )
    >>> [column.name for column in schema.columns], schema.key
    (['id', 'at', 'double'], ('id',))
    """

    columns: tuple[UnresolvedColumn, ...] = ()
    watermark: tuple[str, exp.Expr] | None = None
    key: tuple[str, ...] = ()

    @staticmethod
    def of(
        columns: tuple[UnresolvedColumn, ...], watermark: tuple[str, exp.Expr] | None, key: tuple[str, ...]
    ) -> Schema:
        """Return a schema whose columns are NOT NULL where they are in its primary key."""
        return Schema(tuple(_in_key(one) if one.name in key else one for one in columns), watermark, key)

    def stored(self) -> list[UnresolvedColumn]:
        """Return the columns that the table itself holds."""
        return [column for column in self.columns if column.expression is None and column.metadata is None]

    @staticmethod
    def new_builder() -> Schema.Builder:
        """Returns a builder."""
        return Schema.Builder()

    @dataclass(slots=True)
    class Builder:
        """Puts a schema together."""

        _columns: list[UnresolvedColumn] = field(default_factory=list)
        _watermark: tuple[str, exp.Expr] | None = None
        _key: tuple[str, ...] = ()

        def from_schema(self, unresolved_schema: Schema) -> Schema.Builder:
            """Takes over all of another schema."""
            self._columns += unresolved_schema.columns
            self._watermark = unresolved_schema.watermark or self._watermark
            self._key = unresolved_schema.key or self._key
            return self

        def from_resolved_schema(self, resolved_schema: ResolvedSchema) -> Schema.Builder:
            """Takes over the columns of a table."""
            return self.from_fields(resolved_schema.get_column_names(), resolved_schema.get_column_data_types())

        def from_row_data_type(self, data_type: DataType) -> Schema.Builder:
            """Takes over the fields of a row type."""
            if not isinstance(data_type, RowType):
                raise TableError(f"from_row_data_type({data_type!r}): give a DataTypes.ROW([...])")
            return self.from_fields(data_type.field_names(), data_type.field_types())

        def from_fields(self, field_names: list[str], field_data_types: list[DataType]) -> Schema.Builder:
            """Adds physical columns."""
            for name, kind in zip(field_names, field_data_types, strict=True):
                self.column(name, kind)
            return self

        def column(self, column_name: str, data_type: str | DataType) -> Schema.Builder:
            """Adds a physical column."""
            self._columns.append(UnresolvedColumn(column_name, _type(data_type)))
            return self

        def column_by_expression(self, column_name: str, expr: Any) -> Schema.Builder:
            """Adds a column that is computed from others."""
            self._columns.append(UnresolvedColumn(column_name, expression=_expression(expr)))
            return self

        def column_by_metadata(
            self,
            column_name: str,
            data_type: str | DataType,
            metadata_key: str | None = None,
            is_virtual: bool = False,
        ) -> Schema.Builder:
            """Adds a column that the connector fills with what it knows about a row."""
            key = metadata_key or column_name
            self._columns.append(UnresolvedColumn(column_name, _type(data_type), metadata=key, virtual=is_virtual))
            return self

        def watermark(self, column_name: str, watermark_expr: Any) -> Schema.Builder:
            """Says which column is event time, and how far it has come when a row is seen."""
            self._watermark = (column_name, _expression(watermark_expr))
            return self

        def primary_key(self, *column_names: str) -> Schema.Builder:
            """Says which columns tell rows apart, which nobody checks; they become NOT NULL."""
            if not column_names:
                raise TableError("primary_key(): name the columns, as in primary_key('id')")
            self._key = column_names
            return self

        def primary_key_named(self, constraint_name: str, *column_names: str) -> Schema.Builder:
            """Says which columns tell rows apart, under a name."""
            return self.primary_key(*column_names)

        def build(self) -> Schema:
            """Returns the schema."""
            return Schema.of(tuple(self._columns), self._watermark, self._key)


def _in_key(column: UnresolvedColumn) -> UnresolvedColumn:
    return column if column.type is None else replace(column, type=column.type.not_null())


def _type(given: str | DataType) -> DataType:
    return parse_type(given) if isinstance(given, str) else given


def _expression(given: Any) -> exp.Expr:
    return parse_expression(given) if isinstance(given, str) else given.tree
