"""``flott sql``: runs SQL from a file, from the command line, or as it is typed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from flott.cli.settings import applied, settings_of, with_settings
from flott.cli.sql_prompt import LEAVE, WELCOME, prompt_session
from flott.cli.sql_script import statements_of
from flott.cli.sql_session import SqlSession
from flott.errors import FlottError


@click.command()
@click.option("-f", "--file", "file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Run a file.")
@click.option("-e", "--execute", "text", help="Run these statements.")
@with_settings
def sql(file: Path | None, text: str | None, **settings: Any) -> None:
    r"""Run SQL: from a file, from the command line, or as you type it.

    On a terminal the result of a query is a table that changes in place; elsewhere each change is a line. INSERTs of a
    file are waited for.

    \b
    flott sql
    flott sql -f query.sql
    flott sql -e "SELECT * FROM (VALUES (1, 'tea')) AS t(id, name)"
    """
    if file is not None and text is not None:
        raise click.UsageError("give either -f or -e")
    with applied(settings_of(**settings)):
        session = SqlSession()
        try:
            if file is not None:
                run_script(session, file.read_text(encoding="utf-8"), f"{file}: ")
            elif text is not None:
                run_script(session, text)
            elif not sys.stdin.isatty():
                run_script(session, sys.stdin.read())
            else:
                interact(session)
        finally:
            session.close()


def run_script(session: SqlSession, text: str, where: str = "") -> None:
    """Run the statements of a text, and wait for their jobs; the first mistake ends it."""
    try:
        for statement in statements_of(text):
            session.run(statement)
        session.wait()
    except FlottError as error:
        raise click.ClickException(f"{where}{error}") from error


def interact(session: SqlSession) -> None:
    """Run statements as they are typed, until 'quit' or Ctrl-D."""
    prompt = prompt_session(session)
    click.echo(WELCOME)
    while True:
        try:
            text = prompt.prompt("flott> ")
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if text.strip().rstrip(";").lower() in LEAVE:
            return
        for statement in statements_of(text):
            try:
                session.run(statement)
            except FlottError as error:
                click.echo(f"Error: {error}", err=True)
                break
