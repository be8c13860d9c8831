"""DataTypes: makes the types of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.column_types import (
    MAX_LENGTH,
    ArrayType,
    BigIntType,
    BinaryType,
    BooleanType,
    CharType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntType,
    LocalZonedTimestampType,
    MapType,
    NullType,
    RowField,
    RowType,
    SmallIntType,
    TimestampType,
    TimeType,
    TinyIntType,
    VarBinaryType,
    VarCharType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.column_types import DataType

__all__ = ["DataTypes"]


class DataTypes:
    """Makes the types of columns.

    >>> DataTypes.ROW([DataTypes.FIELD("id", DataTypes.BIGINT()), DataTypes.FIELD("at", DataTypes.TIMESTAMP(3))])
    ROW<`id` BIGINT, `at` TIMESTAMP(3)>
    """

    @staticmethod
    def NULL() -> NullType:
        """Returns the type of NULL."""
        return NullType()

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> CharType:
        """Returns the type of texts of a fixed length."""
        return CharType(nullable, length)

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> VarCharType:
        """Returns the type of texts of at most so many characters."""
        return VarCharType(nullable, length)

    @staticmethod
    def STRING(nullable: bool = True) -> VarCharType:
        """Returns the type of texts."""
        return VarCharType(nullable, MAX_LENGTH)

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> BooleanType:
        """Returns the type of TRUE and FALSE."""
        return BooleanType(nullable)

    @staticmethod
    def BINARY(length: int, nullable: bool = True) -> BinaryType:
        """Returns the type of byte strings of a fixed length."""
        return BinaryType(nullable, length)

    @staticmethod
    def VARBINARY(length: int, nullable: bool = True) -> VarBinaryType:
        """Returns the type of byte strings of at most so many bytes."""
        return VarBinaryType(nullable, length)

    @staticmethod
    def BYTES(nullable: bool = True) -> VarBinaryType:
        """Returns the type of byte strings."""
        return VarBinaryType(nullable, MAX_LENGTH)

    @staticmethod
    def DECIMAL(precision: int, scale: int, nullable: bool = True) -> DecimalType:
        """Returns the type of decimal numbers."""
        return DecimalType(nullable, precision, scale)

    @staticmethod
    def TINYINT(nullable: bool = True) -> TinyIntType:
        """Returns the type of whole numbers of 8 bits."""
        return TinyIntType(nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> SmallIntType:
        """Returns the type of whole numbers of 16 bits."""
        return SmallIntType(nullable)

    @staticmethod
    def INT(nullable: bool = True) -> IntType:
        """Returns the type of whole numbers of 32 bits."""
        return IntType(nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> BigIntType:
        """Returns the type of whole numbers of 64 bits."""
        return BigIntType(nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> FloatType:
        """Returns the type of floating point numbers of 32 bits."""
        return FloatType(nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> DoubleType:
        """Returns the type of floating point numbers of 64 bits."""
        return DoubleType(nullable)

    @staticmethod
    def DATE(nullable: bool = True) -> DateType:
        """Returns the type of days."""
        return DateType(nullable)

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> TimeType:
        """Returns the type of times of day."""
        return TimeType(nullable, precision)

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> TimestampType:
        """Returns the type of dates with a time of day."""
        return TimestampType(nullable, precision)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> LocalZonedTimestampType:
        """Returns the type of moments."""
        return LocalZonedTimestampType(nullable, precision)

    TIMESTAMP_WITH_LOCAL_TIME_ZONE = TIMESTAMP_LTZ

    @staticmethod
    def ARRAY(element_type: DataType, nullable: bool = True) -> ArrayType:
        """Returns the type of lists."""
        return ArrayType(nullable, element_type)

    @staticmethod
    def MAP(key_type: DataType, value_type: DataType, nullable: bool = True) -> MapType:
        """Returns the type of maps."""
        return MapType(nullable, key_type, value_type)

    @staticmethod
    def ROW(row_fields: Sequence[RowField] = (), nullable: bool = True) -> RowType:
        """Returns the type of rows."""
        return RowType(nullable, tuple(row_fields))

    @staticmethod
    def FIELD(name: str, data_type: DataType, description: str | None = None) -> RowField:
        """Returns a field of a row type."""
        return RowField(name, data_type, description)
