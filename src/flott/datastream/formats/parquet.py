"""Parquet files, as PyFlink names them.

>>> from flott.common import Types
>>> from flott.datastream.connectors.file_system import FileSink, FileSource
>>> orders = Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()])
>>> source = FileSource.for_bulk_file_format(ParquetColumnarRowInputFormat(orders), "orders/*.parquet").build()
>>> sink = FileSink.for_bulk_format("out", ParquetBulkWriters.for_row_type(orders)).build()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.arrow_rows import schema_of
from flott.connectors.parquet_format import ROWS_READ, ParquetFormat, ParquetWriterFactory

if TYPE_CHECKING:
    from flott.common.configuration import Configuration
    from flott.common.serialization import BulkWriterFactory

__all__ = ["ParquetBulkWriters", "ParquetColumnarRowInputFormat"]


class ParquetColumnarRowInputFormat(ParquetFormat):
    """Reads the rows of Parquet files in columns; operators that work on columns never see a Python object per row."""

    def __init__(
        self,
        row_type: Any,
        hadoop_config: Configuration | None = None,
        batch_size: int = ROWS_READ,
        is_utc_timestamp: bool = False,
        is_case_sensitive: bool = True,
    ) -> None:
        """Chooses the columns.

        Args:
            row_type: The columns to read: DataTypes.ROW, Types.ROW_NAMED, or a pyarrow.Schema.
            hadoop_config: Taken for PyFlink's sake; file systems are those of fsspec, and need none.
            batch_size: How many rows make a batch.
            is_utc_timestamp: Taken for PyFlink's sake; moments are read as they stand.
            is_case_sensitive: Whether `User` and `user` are two columns.
        """
        del hadoop_config, is_utc_timestamp
        schema = schema_of("ParquetColumnarRowInputFormat(...)", row_type)
        super().__init__(schema, batch_size=batch_size, is_case_sensitive=is_case_sensitive)


class ParquetBulkWriters:
    """Makes writers of Parquet files for a FileSink."""

    @staticmethod
    def for_row_type(
        row_type: Any, hadoop_config: Configuration | None = None, utc_timestamp: bool = False
    ) -> BulkWriterFactory[Any]:
        """Returns a factory of writers for rows.

        Args:
            row_type: The columns: DataTypes.ROW, Types.ROW_NAMED, or a pyarrow.Schema. Records are Rows, tuples
                or dicts.
            hadoop_config: Taken for PyFlink's sake; file systems are those of fsspec, and need none.
            utc_timestamp: Taken for PyFlink's sake; moments are written as they stand.
        """
        del hadoop_config, utc_timestamp
        return ParquetWriterFactory(schema_of("ParquetBulkWriters.for_row_type(...)", row_type))
