"""StreamTableEnvironment: tables and streams in one program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.typeinfo import TypeInformation, Types
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.data_stream import DataStream
from flott.table import types as t
from flott.table.bind.tables import with_schema
from flott.table.changelog_mode import ChangelogMode, checked_mode
from flott.table.environment_settings import EnvironmentSettings
from flott.table.errors import NotYetError, TableError
from flott.table.plan.nodes import StreamScan
from flott.table.schema import Schema
from flott.table.select_from import column_tree
from flott.table.stream_fields import stream_fields
from flott.table.table import Table
from flott.table.table_environment import TableEnvironment
from flott.table.unresolved_column import UnresolvedColumn

if TYPE_CHECKING:
    from flott.table.types import DataType

__all__ = ["StreamTableEnvironment"]


class StreamTableEnvironment(TableEnvironment):
    """A TableEnvironment whose tables can be made of streams, and become streams.

    >>> from flott.common import Configuration, Types
    >>> env = StreamExecutionEnvironment(Configuration().set_string("flott.execution.target", "in-process"))
    >>> t_env = StreamTableEnvironment.create(env)
    >>> orders = env.from_collection([("tea", 3)], Types.ROW_NAMED(["name", "price"], [Types.STRING(), Types.LONG()]))
    >>> t_env.from_data_stream(orders).print_schema()
    (
      `name` STRING,
      `price` BIGINT
    )
    """

    @staticmethod
    def create(  # type: ignore[override]
        stream_execution_environment: StreamExecutionEnvironment | None = None,
        environment_settings: EnvironmentSettings | None = None,
    ) -> StreamTableEnvironment:
        """Returns an environment for the tables of a program."""
        settings = environment_settings or EnvironmentSettings()
        environment = stream_execution_environment
        if environment is None:
            environment = StreamExecutionEnvironment.get_execution_environment(settings.get_configuration())
        return StreamTableEnvironment(environment, settings)

    # -- streams to tables -----------------------------------------------------------------------------

    def from_data_stream(self, data_stream: DataStream, *fields_or_schema: Any) -> Table:
        """Returns a stream as a table to which rows are added.

        Args:
            data_stream: The stream; its type says which columns there are.
            fields_or_schema: A Schema, which may add computed columns, a watermark and a primary key; or names for the
                columns.
        """
        return self._from(data_stream, fields_or_schema, changelog=False)

    def from_changelog_stream(
        self, data_stream: DataStream, schema: Schema | None = None, changelog_mode: Any = None
    ) -> Table:
        """Returns a stream of Rows as a table: the kind of each Row says what it does.

        Args:
            data_stream: The stream.
            schema: The columns; with ChangelogMode.upsert() also the primary key.
            changelog_mode: Which kinds of Rows the stream has; all of them by default.
        """
        mode = checked_mode(changelog_mode, "from_changelog_stream(…)")
        upserts = mode == ChangelogMode.upsert()
        if upserts and (schema is None or not schema.key):
            raise TableError(
                "from_changelog_stream(…): rows of a stream of upserts replace each other by a key; give a Schema with "
                "primary_key(…)"
            )
        changelog = mode != ChangelogMode.insert_only()
        return self._from(data_stream, () if schema is None else (schema,), changelog=changelog, upserts=upserts)

    def _from(self, stream: DataStream, given: tuple[Any, ...], *, changelog: bool, upserts: bool = False) -> Table:
        if not isinstance(stream, DataStream):
            raise TableError(f"from_data_stream({stream!r:.80}): give a DataStream")
        if stream.get_execution_environment() is not self._environment:
            raise TableError("from_data_stream(…): the stream comes from another environment than the tables")
        schema = given[0] if given and isinstance(given[0], Schema) else None
        number = stream.get_transformation().id
        places, fields = stream_fields(stream.get_type(), schema)
        key = () if schema is None else schema.key
        node = StreamScan(tuple(fields), f"DataStream_{number}", stream, changelog, tuple(places), key, upserts)
        for name in key if upserts else ():
            if name not in {field.name for field in fields}:
                raise TableError(
                    f"from_changelog_stream(…): '{name}' is computed, so it can't be the key of a stream of upserts"
                )
        if schema is not None:
            whole = schema
            if not schema.stored():
                own = [UnresolvedColumn(one.name, one.type) for one in fields]
                whole = Schema((*own, *schema.columns), schema.watermark, schema.key)
            return Table(with_schema(node, whole, self._manager.functions, ""), self)
        table = Table(node, self)
        return table.alias(*(column_tree(name).name for name in given)) if given else table

    def create_temporary_view(self, view_path: str, table: Any, *fields_or_schema: Any) -> None:
        """Gives a table or a stream a name."""
        if isinstance(table, DataStream):
            table = self.from_data_stream(table, *fields_or_schema)
        super().create_temporary_view(view_path, table)

    # -- tables to streams -----------------------------------------------------------------------------

    def to_data_stream(self, table: Table) -> DataStream:
        """Returns a table to which rows are only added as a stream of Rows, stamped with its event time."""
        step, stream = self._planner.rows(table.plan, stamped=True)
        if not step.append_only:
            raise TableError("to_data_stream(…): this table updates rows; use to_changelog_stream(…)")
        return _typed(stream, table)

    def to_changelog_stream(
        self, table: Table, target_schema: Schema | None = None, changelog_mode: Any = None
    ) -> DataStream:
        """Returns a table as a stream of Rows, whose kinds say what they do."""
        mode = checked_mode(changelog_mode, "to_changelog_stream(…)")
        if target_schema is not None:
            raise NotYetError("to_changelog_stream(…) takes no schema yet; select the columns before")
        if mode == ChangelogMode.upsert():
            raise NotYetError("to_changelog_stream(…) gives no upserts yet; filter the rows of the kind -U")
        step, stream = self._planner.rows(table.plan, stamped=True)
        if mode == ChangelogMode.insert_only() and not step.append_only:
            raise TableError(
                "to_changelog_stream(…): this table updates rows, and the mode is ChangelogMode.insert_only()"
            )
        return _typed(stream, table)


def _typed(stream: DataStream, table: Table) -> DataStream:
    """Declare the type of a stream of Rows; the Rows have it already."""
    fields = table.plan.fields
    kinds = [_type_info(field.type) for field in fields]
    stream.get_transformation().output_type = Types.ROW_NAMED([field.name for field in fields], kinds)
    return stream


def _type_info(kind: DataType) -> TypeInformation:
    simple: dict[type[t.DataType], TypeInformation] = {
        t.BooleanType: Types.BOOLEAN(), t.TinyIntType: Types.BYTE(), t.SmallIntType: Types.SHORT(),
        t.IntType: Types.INT(), t.BigIntType: Types.LONG(), t.FloatType: Types.FLOAT(), t.DoubleType: Types.DOUBLE(),
        t.CharType: Types.STRING(), t.VarCharType: Types.STRING(), t.DateType: Types.SQL_DATE(),
        t.TimeType: Types.SQL_TIME(), t.TimestampType: Types.SQL_TIMESTAMP(), t.DecimalType: Types.BIG_DEC(),
    }  # fmt: skip
    return simple.get(type(kind), Types.PICKLED_BYTE_ARRAY())
