"""Runs SQL statements one after the other, and shows what they give."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, TextIO

from flott.cli.live_table import LiveTable, left_aligned, show_lines
from flott.cli.sql_help import HELP, HELP_TEXT
from flott.cli.sql_jobs import SHOW_JOBS, STOP_JOB, listed_jobs, stop_job
from flott.cli.sql_json import show_json_rows
from flott.errors import FlottError
from flott.table import TableEnvironment
from flott.table.connectors.printing import render_cells
from flott.table.result_kind import ResultKind
from flott.table.table_result import drawn

if TYPE_CHECKING:
    from flott.cli.sql_jobs import DetachedInserts
    from flott.cli.sql_script import Statement
    from flott.common.job_client import JobClient
    from flott.table.table_result import TableResult

WIDEST = 100
"""So many characters of a cell of SHOW JOBS are shown."""


class SqlSession:
    """One environment. Its INSERTs run on in the background until they are waited for; or in processes of their own.

    Args:
        out: Where results go.
        as_json: Whether they are JSON.
        detached: What starts INSERTs in processes of their own; None for jobs of this process.
    """

    def __init__(
        self, out: TextIO | None = None, *, as_json: bool = False, detached: DetachedInserts | None = None
    ) -> None:
        self._detached = detached
        self.t_env = TableEnvironment.create()
        self._out = out or sys.stdout
        self._as_json = as_json
        self._jobs: list[JobClient] = []

    def run(self, statement: Statement) -> None:
        """Execute a statement and show its result."""
        if self._steer(statement.text) or self._start(statement.text):
            return
        result = self.t_env.execute_sql(statement.text)
        client = result.get_job_client()
        if client is None and result.get_result_kind() is ResultKind.SUCCESS:
            if self._detached is not None:
                self._detached.remember(statement.text)
            self._out.write('{"result": "OK"}\n' if self._as_json else "OK\n")
        elif self._as_json and (client is None or result.is_query()):
            show_json_rows(result, self._out)
        elif client is None:
            self._show(result)
        elif result.is_query():
            self._show_query(result)
        else:
            self._jobs.append(client)
            job_id = str(client.get_job_id())
            told = json.dumps({"jid": job_id}) if self._as_json else f"Job {job_id} has been started."
            self._out.write(f"{told}\n")
        self._out.flush()

    def _start(self, text: str) -> bool:
        """Start an INSERT in a process of its own; return whether the statement was one that does."""
        started = None if self._detached is None else self._detached.start(text, self.t_env)
        if started is None:
            return False
        self._out.write(f"{json.dumps(started.about) if self._as_json else started.text}\n")
        self._out.flush()
        return True

    def _steer(self, text: str) -> bool:
        """Execute SHOW JOBS, STOP JOB and HELP; return whether the statement was one of them."""
        stop = STOP_JOB.fullmatch(text)
        if stop is not None:
            self._out.write(f"{stop_job(stop['job'], savepoint=stop['savepoint'] is not None)}\n")
        elif SHOW_JOBS.fullmatch(text):
            heads, jobs = ["job id", "job name", "status", "rest"], listed_jobs()
            # Whole ids, to be copied.
            self._out.write(drawn(heads, jobs, left=range(4), widest=WIDEST))
        elif HELP.fullmatch(text):
            self._out.write(HELP_TEXT)
        else:
            return False
        self._out.flush()
        return True

    def wait(self) -> None:
        """Wait until all INSERTs have ended; a failure of one is raised."""
        while self._jobs:
            self._jobs[0].get_job_execution_result().result()
            del self._jobs[0]

    def close(self) -> None:
        """Cancel what still runs."""
        for client in self._jobs:
            if not client.get_job_execution_result().done():
                try:
                    client.cancel().result()
                except FlottError as error:
                    self._out.write(f"Job {client.get_job_id()} could not be cancelled: {error}\n")

    def _show(self, result: TableResult) -> None:
        with result.collect() as rows:
            found = [list(row) for row in rows]
        names = result.get_resolved_schema().get_column_names()
        if names == ["result"]:  # a plan, or a statement: whole texts
            self._out.write("".join(f"{row[0]}\n" for row in found))
        else:
            kinds = result.get_resolved_schema().get_column_data_types()
            self._out.write(drawn(names, [render_cells(row, kinds) for row in found], left_aligned(kinds)))

    def _show_query(self, result: TableResult) -> None:
        if self._out.isatty():
            LiveTable(result, self._out).show()
        else:
            show_lines(result, self._out)
