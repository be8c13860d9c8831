"""Transactions between their two phases: prepared in tasks; committed, or rolled back when stale, by the driver."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.connectors.base import Committer
from flott.connectors.postgres_connection import PostgresConnectionError, PostgresError, psycopg_module
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from psycopg import Connection

    from flott.connectors.base import SinkScope
    from flott.connectors.postgres_connection import PostgresAddress
    from flott.runtime.operators.commit_requests import CommitRequest

log = logging.getLogger("flott.sinks")

SETTING = (
    "set max_prepared_transactions to at least the sink's parallelism times the epochs between two checkpoints, 200 "
    "for a start: ALTER SYSTEM SET max_prepared_transactions = 200, and restart the server"
)
PATIENCE = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""How long to wait, in seconds, before a server that is gone is asked again to commit; it may just restart."""


@dataclass(frozen=True, slots=True)
class PreparedTransaction:
    """A transaction that survives a crash of the server and waits for its commit: the committable."""

    gid: str
    xid: int
    """Its number in the server, by which its end can be looked up when the name is gone."""


def gid_prefix(scope: SinkScope) -> str:
    """Return what the names of all transactions of a sink begin with."""
    return f"flott:{scope.job_id}:{scope.operator_id}:"


def owner_of(gid: str) -> int:
    """Return the number of the driver that a transaction was prepared for; 0 for one of Flott 0.1.

    >>> owner_of("flott:job:op:d3:0:1f"), owner_of("flott:job:op:0:1f")
    (3, 0)
    """
    part = gid.split(":")[3]
    return int(part[1:]) if part.startswith("d") else 0


def prepare(address: PostgresAddress, connection: Connection[tuple[Any, ...]], gid: str) -> PreparedTransaction:
    """First phase: make the running transaction durable under a name."""
    psycopg = psycopg_module()
    sql = psycopg.sql
    try:
        [(xid,)] = connection.execute("SELECT txid_current()").fetchall()
        connection.execute(sql.SQL("PREPARE TRANSACTION {}").format(sql.Literal(gid)))
    except psycopg.errors.ObjectNotInPrerequisiteState:
        message = f"PostgreSQL ({address.text}) has max_prepared_transactions = 0: {SETTING}"
        raise PostgresError(message) from None
    except psycopg.errors.OutOfMemory as error:
        message = (
            f"PostgreSQL ({address.text}) has no room for another prepared transaction: {error.diag.message_primary}. "
            f"Take checkpoints more often, or {SETTING}"
        )
        raise PostgresError(message) from None
    except psycopg.Error as error:
        raise address.explain(error, "preparing a transaction", connection) from error
    return PreparedTransaction(gid, xid)


class PostgresCommitter(Committer):
    """Second phase: commits prepared transactions, each once, however often it is asked."""

    def __init__(self, address: PostgresAddress) -> None:
        self._address = address
        self._connection: Connection[tuple[Any, ...]] | None = None
        self._errors: Any = psycopg_module().errors

    def commit(self, requests: list[CommitRequest]) -> None:
        """Commit what is asked for; what the server was too busy dying for is tried again after a while."""
        tried = requests[0].get_number_of_retries()
        if tried:
            time.sleep(PATIENCE[min(tried, len(PATIENCE)) - 1])
        try:
            if self._connection is None or self._connection.closed:
                self._connection = self._address.connect(autocommit=True)
            for request in requests:
                self._commit(self._connection, request)
        except PostgresConnectionError as error:
            if tried >= len(PATIENCE):
                raise
            log.warning("%s; the commit is tried again", error)
            for request in requests:
                request.retry_later()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()

    def _commit(self, connection: Connection[tuple[Any, ...]], request: CommitRequest) -> None:
        transaction: PreparedTransaction = request.get_committable()
        sql = psycopg_module().sql
        try:
            connection.execute(sql.SQL("COMMIT PREPARED {}").format(sql.Literal(transaction.gid)))
        except self._errors.UndefinedObject:
            self._account_for(connection, transaction, request)
        except self._errors.Error as error:
            explained = self._address.explain(error, f"committing '{transaction.gid}'", connection)
            if isinstance(explained, PostgresConnectionError):
                raise explained from error
            request.signal_failed_with_unknown_reason(explained)

    def _account_for(
        self, connection: Connection[tuple[Any, ...]], transaction: PreparedTransaction, request: CommitRequest
    ) -> None:
        """Find out how a transaction ended that is no longer there; None is known of one that ended long ago."""
        try:
            [(end,)] = connection.execute("SELECT txid_status(%s)", [transaction.xid]).fetchall()
        except self._errors.Error as error:
            raise self._address.explain(error, f"looking up '{transaction.gid}'", connection) from error
        if end == "committed" or (end is None and request.recovered):
            request.signal_already_committed()
            return
        message = (
            f"the prepared transaction '{transaction.gid}' is gone and was not committed (it is "
            f"{end or 'unknown to the server'}): somebody rolled it back, or the server ({self._address.text}) is "
            "another one than before"
        )
        request.signal_failed_with_unknown_reason(PostgresError(message))


def roll_back_stale(
    address: PostgresAddress, connection: Connection[tuple[Any, ...]], scope: SinkScope, kept: set[str]
) -> None:
    """Roll back what tasks of a sink prepared and nobody will commit: it would hold its locks for ever."""
    psycopg = psycopg_module()
    sql = psycopg.sql
    query = "SELECT gid FROM pg_prepared_xacts WHERE database = current_database() AND starts_with(gid, %s)"
    try:
        # Those of a later driver are not ours to judge: this one may have been replaced without knowing it.
        found = {gid for (gid,) in connection.execute(query, [gid_prefix(scope)]) if owner_of(gid) <= scope.owner}
        for gid in sorted(found - kept):
            try:
                connection.execute(sql.SQL("ROLLBACK PREPARED {}").format(sql.Literal(gid)))
            except psycopg.errors.UndefinedObject:
                continue  # somebody else was quicker
            log.info("rolled back '%s', which an attempt left behind that does not count", gid)
    except psycopg.Error as error:
        raise address.explain(error, "rolling back stale transactions", connection) from error


def check_server(address: PostgresAddress, connection: Connection[tuple[Any, ...]]) -> None:
    """Raise if the server takes no prepared transactions: better at the start than with the first record."""
    [(most,)] = connection.execute("SELECT current_setting('max_prepared_transactions')::int").fetchall()
    if most == 0:
        message = (
            f"PostgresSink with EXACTLY_ONCE: PostgreSQL ({address.text}) has max_prepared_transactions = 0, its "
            f"default; {SETTING}. Or choose DeliveryGuarantee.AT_LEAST_ONCE, which needs no setting"
        )
        raise ConfigurationError(message)
