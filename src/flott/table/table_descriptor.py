"""TableDescriptor: a table as options of a connector, and a schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.table.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FormatDescriptor", "TableDescriptor"]


@dataclass(frozen=True, slots=True)
class FormatDescriptor:
    """The format of a table's data, with its options."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def for_format(format: str) -> FormatDescriptor.Builder:
        """Returns a builder for a format, such as 'json'."""
        return FormatDescriptor.Builder(format)

    def get_format(self) -> str:
        """Returns the format's name."""
        return self.name

    def get_options(self) -> dict[str, str]:
        """Returns the options."""
        return dict(self.options)

    @dataclass(slots=True)
    class Builder:
        """Puts a format together."""

        _name: str
        _options: dict[str, str] = field(default_factory=dict)

        def option(self, key: str, value: str) -> FormatDescriptor.Builder:
            """Sets an option."""
            self._options[key] = str(value)
            return self

        def build(self) -> FormatDescriptor:
            """Returns the format."""
            return FormatDescriptor(self._name, dict(self._options))


@dataclass(frozen=True, slots=True)
class TableDescriptor:
    """What CREATE TABLE says, as an object.

    >>> TableDescriptor.for_connector("datagen").option("number-of-rows", "3").build().get_options()
    {'connector': 'datagen', 'number-of-rows': '3'}
    """

    schema: Schema
    options: Mapping[str, str]
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None

    @staticmethod
    def for_connector(connector: str) -> TableDescriptor.Builder:
        """Returns a builder for a table of a connector."""
        return TableDescriptor.Builder({"connector": connector})

    def get_schema(self) -> Schema:
        """Returns the schema."""
        return self.schema

    def get_options(self) -> dict[str, str]:
        """Returns the options, the connector among them."""
        return dict(self.options)

    def get_partition_keys(self) -> list[str]:
        """Returns the columns by which the data is partitioned."""
        return list(self.partition_keys)

    def get_comment(self) -> str | None:
        """Returns the comment."""
        return self.comment

    @dataclass(slots=True)
    class Builder:
        """Puts a descriptor together."""

        _options: dict[str, str]
        _schema: Schema = field(default_factory=Schema)
        _partition_keys: tuple[str, ...] = ()
        _comment: str | None = None

        def schema(self, schema: Schema) -> TableDescriptor.Builder:
            """Sets the columns."""
            self._schema = schema
            return self

        def option(self, key: str, value: object) -> TableDescriptor.Builder:
            """Sets an option of the connector."""
            self._options[key] = str(value)
            return self

        def format(self, format: str | FormatDescriptor) -> TableDescriptor.Builder:
            """Sets the format of the data."""
            if isinstance(format, str):
                return self.option("format", format)
            for key, value in format.options.items():
                self.option(f"{format.name}.{key}", value)
            return self.option("format", format.name)

        def partitioned_by(self, *partition_keys: str) -> TableDescriptor.Builder:
            """Sets the columns by which the data is partitioned."""
            self._partition_keys = partition_keys
            return self

        def comment(self, comment: str) -> TableDescriptor.Builder:
            """Sets the comment."""
            self._comment = comment
            return self

        def build(self) -> TableDescriptor:
            """Returns the descriptor."""
            return TableDescriptor(self._schema, dict(self._options), self._partition_keys, self._comment)
