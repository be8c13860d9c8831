"""What a PostgreSQL sink does in a task: rows in batches, one transaction per epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.connectors.base import CommittingSinkWriter, SinkScope
from flott.connectors.postgres_connection import psycopg_module
from flott.connectors.postgres_transactions import PreparedTransaction, gid_prefix, prepare

if TYPE_CHECKING:
    from psycopg import Connection

    from flott.connectors.postgres_settings import PostgresSettings
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext


class PostgresWriter(CommittingSinkWriter):
    """Writes the records of one subtask. What an epoch brings is one transaction, prepared at its end."""

    def __init__(self, settings: PostgresSettings, context: WriterInitContext) -> None:
        self._settings = settings
        self._parameters = settings.parameters
        self._prefix = (
            f"{gid_prefix(SinkScope(context.job_id, context.operator_id))}d{context.owner}:{context.subtask}:"
        )
        self._errors: Any = psycopg_module().Error
        self._connection: Connection[tuple[Any, ...]] | None = None
        self._rows: list[Any] = []
        self._begun = False
        """Rows of this epoch were sent."""

    def write(self, element: Any, context: WriteContext) -> None:
        """Take a record; a full batch is sent."""
        self._rows.append(self._parameters(element))
        if len(self._rows) >= self._settings.batch_size:
            self._send()

    def flush(self, end_of_input: bool) -> None:
        """Send the last batch of the epoch; where at least once is enough, it counts from now on."""
        if self._rows:
            self._send()
        if self._begun and not self._settings.exactly_once:
            connection = self._connected()
            try:
                connection.commit()
            except self._errors as error:
                raise self._settings.address.explain(error, "committing", connection) from error
            self._begun = False

    def prepare_commit(self) -> list[PreparedTransaction]:
        """Prepare the transaction: it survives the server's restart from now on, and is not to be seen yet."""
        if not self._begun:
            return []
        prepared = prepare(self._settings.address, self._connected(), f"{self._prefix}{uuid4().hex}")
        self._begun = False
        return [prepared]

    def close(self) -> None:
        """Give up what was not prepared: the server rolls it back."""
        self._rows.clear()
        self._begun = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _send(self) -> None:
        kept = self._connection
        try:
            self._execute(self._connected())
        except self._errors as error:
            # A connection may have been cut while nothing happened on it; with nothing sent, nothing is lost.
            if kept is None or not kept.closed or self._begun:
                raise self._explained(error) from error
            self._connection = None
            try:
                self._execute(self._connected())
            except self._errors as again:
                raise self._explained(again) from again
        self._begun = True
        self._rows.clear()

    def _execute(self, connection: Connection[tuple[Any, ...]]) -> None:
        statement = self._settings.statement.encode()
        with connection.cursor() as cursor:
            if not self._settings.copies:
                cursor.executemany(statement, self._rows)
                return
            with cursor.copy(statement) as copy:
                write_row = copy.write_row
                for row in self._rows:
                    write_row(row)

    def _connected(self) -> Connection[tuple[Any, ...]]:
        if self._connection is None:
            self._connection = self._settings.address.connect(autocommit=False)
            self._connection.execute(f"SET lock_timeout = {self._settings.lock_timeout:d}".encode())
            self._connection.commit()
        return self._connection

    def _explained(self, error: Exception) -> Exception:
        doing = f"writing a batch of {len(self._rows)} rows ({self._settings.statement})"
        return self._settings.address.explain(error, doing, self._connection)
