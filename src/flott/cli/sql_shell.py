"""Runs SQL texts in a session: scripts to their end, a terminal until somebody leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from flott.cli.sql_prompt import LEAVE, WELCOME, prompt_session
from flott.cli.sql_script import statements_of
from flott.errors import FlottError

if TYPE_CHECKING:
    from flott.cli.sql_session import SqlSession


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
            except SystemExit:  # what asks a job ends a command that was refused, and has said why
                break
            except KeyboardInterrupt:
                click.echo("Interrupted.", err=True)
                break
