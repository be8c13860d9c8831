"""``flott sql``: runs SQL from a file, from the command line, or as it is typed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from flott.cli.detached import words_of
from flott.cli.output import AS_JSON
from flott.cli.settings import applied, settings_of, with_settings


@click.command()
@click.option("-f", "--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Run a file.")
@click.option("-e", "--execute", "text", help="Run these statements.")
@AS_JSON
@with_settings
def sql(file: Path | None, text: str | None, *, as_json: bool, **settings: Any) -> None:
    r"""Run SQL: from a file, from the command line, or as you type it.

    On a terminal the result of a query is a table that changes in place; elsewhere each change is a line. INSERTs of a
    file are waited for; one that is typed runs in a process of its own, also after the shell has ended (SHOW JOBS,
    STOP JOB 'id', flott list).

    \b
    flott sql
    flott sql -f query.sql
    flott sql -e "SELECT * FROM (VALUES (1, 'tea')) AS t(id, name)"
    flott sql -f query.sql --json | jq .row
    """
    if file is not None and text is not None:
        raise click.UsageError("give either -f or -e")
    # All of SQL takes longer to load than the other commands take.
    from flott.cli.sql_jobs import DetachedInserts
    from flott.cli.sql_session import SqlSession
    from flott.cli.sql_shell import interact, run_script

    typed = file is None and text is None and sys.stdin.isatty()
    detached = DetachedInserts(words_of(settings)) if typed else None
    with applied(settings_of(**settings)):
        session = SqlSession(as_json=as_json, detached=detached)
        try:
            if file is not None:
                run_script(session, file.read_text(encoding="utf-8"), f"{file}: ")
            elif text is not None:
                run_script(session, text)
            elif typed:
                interact(session)
            else:
                run_script(session, sys.stdin.buffer.read().decode("utf-8"))
        finally:
            session.close()
