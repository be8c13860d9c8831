"""PostgreSQL as a sink."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.base import DeliveryGuarantee, Sink, SupportsCommitter
from flott.connectors.postgres_connection import PostgresAddress
from flott.connectors.postgres_settings import ByColumn, ByPosition, PostgresSettings, copy_statement
from flott.connectors.postgres_transactions import PostgresCommitter, check_server, roll_back_stale
from flott.connectors.postgres_writer import PostgresWriter
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flott.connectors.base import SinkScope
    from flott.connectors.postgres_transactions import PreparedTransaction
    from flott.runtime.operators.sinks import WriterInitContext


class PostgresSink(Sink, SupportsCommitter):
    """Writes records to PostgreSQL; each shows exactly once, when the next checkpoint is complete.

    Each subtask writes what an epoch brings in one transaction and prepares it (PREPARE TRANSACTION) at the end; the
    driver commits it once a checkpoint holds it, without checkpoints once the epoch counts. The server must allow
    prepared transactions: its setting max_prepared_transactions is 0 by default.

    Rows of a transaction that is prepared stay locked. So write rows that are new (INSERT), not ones that change over
    and over: for updates and upserts choose AT_LEAST_ONCE, which after a failure just writes the same values again.

    >>> sink = (
    ...     PostgresSink.builder()
    ...     .set_dsn("postgresql://shop@db.example.com/shop")
    ...     .set_table("orders", ["id", "amount"])
    ...     .set_parameters(lambda order: (order.id, order.amount))
    ...     .build()
    ... )
    """

    def __init__(self, settings: PostgresSettings) -> None:
        self.settings = settings

    def create_writer(self, context: WriterInitContext) -> PostgresWriter:
        return PostgresWriter(self.settings, context)

    def create_committer(self) -> PostgresCommitter:
        return PostgresCommitter(self.settings.address)

    def abort_stale(self, scope: SinkScope, kept: list[PreparedTransaction]) -> None:
        address = self.settings.address
        with address.connect(autocommit=True) as connection:
            if self.settings.exactly_once:
                check_server(address, connection)
            # Also where at least once is enough: the job may have asked for more before it was changed.
            roll_back_stale(address, connection, scope, {transaction.gid for transaction in kept})

    @staticmethod
    def builder() -> PostgresSinkBuilder:
        """Start to build a sink."""
        return PostgresSinkBuilder()


class PostgresSinkBuilder:
    """Gathers the settings of a PostgreSQL sink."""

    def __init__(self) -> None:
        self._dsn = ""
        self._connection: dict[str, Any] = {}
        self._statement: str | None = None
        self._copies = False
        self._default_parameters: Callable[[Any], Any] = ByPosition()
        self._parameters: Callable[[Any], Any] | None = None
        self._batch_size = 1_000
        self._guarantee = DeliveryGuarantee.EXACTLY_ONCE
        self._lock_timeout = 10_000

    def set_dsn(self, dsn: str) -> PostgresSinkBuilder:
        """Say where the server is: ``postgresql://user@host:5432/database`` or ``host=... dbname=... user=...``.

        What is not said comes from libpq's own places, on each machine: PGPASSWORD, a password file, a service file.
        """
        self._dsn = dsn
        return self

    def set_connection(
        self,
        host: str | None = None,
        port: int | None = None,
        dbname: str | None = None,
        user: str | None = None,
        password: str | None = None,
        **parameters: Any,
    ) -> PostgresSinkBuilder:
        """Say where the server is by single parameters; those of libpq, such as ``sslmode``, may follow."""
        named = {"host": host, "port": port, "dbname": dbname, "user": user, "password": password, **parameters}
        self._connection.update({name: value for name, value in named.items() if value is not None})
        return self

    def set_statement(self, statement: str) -> PostgresSinkBuilder:
        """Choose the statement that a record is written with; ``%s`` are the places of its values.

        With names, ``%(id)s``, the parameters of a record are a dict.
        """
        if "%s" not in statement and "%(" not in statement:
            raise GraphError(
                f"set_statement({statement!r:.200}): there is no place for a value; write %s where one goes, such as "
                "... VALUES (%s, %s)"
            )
        self._statement, self._copies = statement, False
        self._default_parameters = ByPosition()
        return self

    def set_table(self, table: str, columns: Sequence[str]) -> PostgresSinkBuilder:
        """Add rows to a table; its name may have its schema's in front: ``shop.orders``. Names are quoted.

        Rows go by COPY, many times as fast as a statement for each. A table with row-level security or rules, and a
        view, need ``set_statement``.
        """
        if isinstance(columns, str):
            raise GraphError(f"set_table('{table}', '{columns}'): give the columns as a list: ['{columns}']")
        self._statement, self._copies = copy_statement(table, columns), True
        self._default_parameters = ByColumn(columns)
        return self

    def set_parameters(self, parameters: Callable[[Any], Any]) -> PostgresSinkBuilder:
        """Say what the values of a record are: a function from the record to a tuple.

        Without it records are tuples, lists or Rows; with ``set_table`` also dicts.
        """
        if not callable(parameters):
            raise GraphError(f"set_parameters({parameters!r:.100}): give a function from a record to a tuple")
        self._parameters = parameters
        return self

    def set_batch_size(self, batch_size: int) -> PostgresSinkBuilder:
        """Send so many rows at once; the default is 1000."""
        if batch_size < 1:
            raise GraphError(f"set_batch_size({batch_size}): a batch has at least one row")
        self._batch_size = batch_size
        return self

    def set_delivery_guarantee(self, delivery_guarantee: DeliveryGuarantee) -> PostgresSinkBuilder:
        """Choose EXACTLY_ONCE, the default, or AT_LEAST_ONCE: rows show when their epoch ends, some may come again."""
        if delivery_guarantee not in {DeliveryGuarantee.EXACTLY_ONCE, DeliveryGuarantee.AT_LEAST_ONCE}:
            raise GraphError(
                f"set_delivery_guarantee({delivery_guarantee}): PostgresSink has EXACTLY_ONCE and AT_LEAST_ONCE"
            )
        self._guarantee = delivery_guarantee
        return self

    def set_lock_timeout(self, milliseconds: int) -> PostgresSinkBuilder:
        """Wait so long for rows that another transaction holds, 10 seconds if not said; then the job fails."""
        if milliseconds < 1:
            raise GraphError(f"set_lock_timeout({milliseconds}): wait at least one millisecond")
        self._lock_timeout = milliseconds
        return self

    def build(self) -> PostgresSink:
        """Return the sink."""
        if self._statement is None:
            raise GraphError("PostgresSink: say what to write, with set_table(...) or set_statement(...)")
        return PostgresSink(
            PostgresSettings(
                PostgresAddress.parse(self._dsn, self._connection),
                self._statement,
                self._copies,
                self._parameters or self._default_parameters,
                self._batch_size,
                self._guarantee is DeliveryGuarantee.EXACTLY_ONCE,
                self._lock_timeout,
            )
        )
