"""The prompt of ``flott sql``: history, completion by catalog, statements over several lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flott.cli.sql_script import statements_of
from flott.table.functions.aggregates import AGGREGATES
from flott.table.functions.registry import functions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.cli.sql_session import SqlSession
    from flott.table import TableEnvironment

WORDS = """
SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT JOIN LEFT RIGHT FULL OUTER INNER ON AS AND OR NOT IN BETWEEN LIKE IS NULL
CASE WHEN THEN ELSE END WITH UNION ALL INTERSECT EXCEPT DISTINCT VALUES OVER PARTITION TUMBLE HOP CUMULATE SESSION
DESCRIPTOR INTERVAL SECOND MINUTE HOUR DAY TABLE LATERAL UNNEST MATCH_RECOGNIZE INSERT INTO CREATE TEMPORARY VIEW
FUNCTION CATALOG DATABASE DROP IF EXISTS SHOW TABLES VIEWS FUNCTIONS CATALOGS DATABASES DESCRIBE EXPLAIN USE SET
WATERMARK FOR PRIMARY KEY ENFORCED BIGINT INT STRING DOUBLE BOOLEAN TIMESTAMP DECIMAL
"""
LEAVE = ("quit", "exit")
AT_ONCE = (*LEAVE, "help", "")
"""What needs no semicolon."""
WELCOME = "Flott SQL. A statement ends with ';'. Ctrl-C ends a query, 'quit' the session; 'help' lists statements.\n"


def words_of(t_env: TableEnvironment) -> list[str]:
    """Return what may come next: words of SQL, functions, tables and their columns."""
    tables = t_env.list_tables()
    columns: list[str] = []
    for name in tables:
        columns += t_env.from_path(f"`{name}`").get_resolved_schema().get_column_names()
    known = [name for name in (*functions(), *AGGREGATES) if name[0].isalpha() and " " not in name]
    users = t_env.list_user_defined_functions()
    return list(dict.fromkeys([*tables, *columns, *users, *WORDS.split(), *known]))


def is_complete(text: str) -> bool:
    """Say whether Enter runs a text, or begins a new line of it."""
    if text.strip().rstrip(";").lower() in AT_ONCE:
        return True
    statements = statements_of(text)
    return not statements or statements[-1].finished


def prompt_session(session: SqlSession) -> Any:
    """Return what asks for statements on a terminal."""
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion
        from prompt_toolkit.history import FileHistory, InMemoryHistory
        from prompt_toolkit.key_binding import KeyBindings
    except ImportError:
        message = "the prompt needs prompt_toolkit: pip install 'flott[sql]'; -e and -f work without it"
        raise click.ClickException(message) from None

    class ByCatalog(Completer):
        """Completes the word before the cursor."""

        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Any]:
            word = document.get_word_before_cursor()
            if word:
                for one in words_of(session.t_env):
                    if one.lower().startswith(word.lower()) and one != word:
                        yield Completion(one, start_position=-len(word))

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: Any) -> None:
        buffer = event.current_buffer
        if is_complete(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    path = os.environ.get("FLOTT_SQL_HISTORY", str(Path.home() / ".flott_sql_history"))
    history = FileHistory(path) if path else InMemoryHistory()
    return PromptSession(
        history=history, completer=ByCatalog(), complete_while_typing=False, multiline=True, key_bindings=keys,
        prompt_continuation="     > ",
    )  # fmt: skip
