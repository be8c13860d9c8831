"""ResolvedSchema: the columns of a table with their types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.table.errors import TableError, did_you_mean
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.types import DataType, RowType

__all__ = ["Column", "ResolvedSchema"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    data_type: DataType
    extra: str | None = None
    """What DESCRIBE says about it: the expression of a computed column, and so on."""
    kind: str = "physical"
    comment: str | None = None

    @staticmethod
    def physical(name: str, data_type: DataType) -> Column:
        """Returns a column that the table stores."""
        return Column(name, data_type)

    def is_physical(self) -> bool:
        """Says whether the table stores it."""
        return self.kind == "physical"

    def get_name(self) -> str:
        """Returns the name."""
        return self.name

    def get_data_type(self) -> DataType:
        """Returns the type."""
        return self.data_type

    def get_comment(self) -> str | None:
        """Returns the comment."""
        return self.comment


@dataclass(frozen=True, slots=True)
class ResolvedSchema:
    """The columns of a table or query.

    >>> ResolvedSchema.physical(["id"], [DataTypes.BIGINT()]).get_column_names()
    ['id']
    """

    columns: tuple[Column, ...]
    watermark: tuple[str, str] | None = None
    """The event-time column, and the text of its watermark."""
    primary_key: tuple[str, ...] = ()

    @staticmethod
    def of(columns: Sequence[Column]) -> ResolvedSchema:
        """Returns a schema of these columns."""
        return ResolvedSchema(tuple(columns))

    @staticmethod
    def physical(column_names: Sequence[str], column_data_types: Sequence[DataType]) -> ResolvedSchema:
        """Returns a schema of columns that the table stores."""
        pairs = zip(column_names, column_data_types, strict=True)
        return ResolvedSchema(tuple(Column(name, kind) for name, kind in pairs))

    def get_column_count(self) -> int:
        """Returns how many columns there are."""
        return len(self.columns)

    def get_columns(self) -> list[Column]:
        """Returns the columns."""
        return list(self.columns)

    def get_column_names(self) -> list[str]:
        """Returns the names of the columns."""
        return [column.name for column in self.columns]

    def get_column_data_types(self) -> list[DataType]:
        """Returns the types of the columns."""
        return [column.data_type for column in self.columns]

    def get_column(self, column_index_or_name: int | str) -> Column:
        """Returns a column by position or by name."""
        if isinstance(column_index_or_name, int):
            return self.columns[column_index_or_name]
        for column in self.columns:
            if column.name == column_index_or_name:
                return column
        hint = did_you_mean(column_index_or_name, self.get_column_names())
        raise TableError(f"there is no column '{column_index_or_name}'{hint}")

    def get_primary_key(self) -> tuple[str, ...]:
        """Returns the columns of the primary key; none if there is none."""
        return self.primary_key

    def to_physical_row_data_type(self) -> RowType:
        """Returns the stored columns as a row type."""
        stored = (column for column in self.columns if column.is_physical())
        return DataTypes.ROW([DataTypes.FIELD(column.name, column.data_type) for column in stored])
