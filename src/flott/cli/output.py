"""How commands answer: tables for people, JSON for programs, and exit codes that scripts can use."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from flott.common.duration_text import for_people
from flott.runtime.state.savepoint_file import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

AS_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object a line, for other programs.")
WIDEST = 60
"""A column of the table is at most so wide, but for paths: half a path is of no use."""

FAILED = 1
"""The job failed, or what was asked could not be done."""
NO_SUCH_JOB = 3
"""No job matches, or several do."""
UNREACHABLE = 4
"""The driver of the job is gone, or does not answer."""
CANCELED = 5
"""The job was cancelled while `flott run` waited for it."""
START_AGAIN = 75
"""What ran the job is gone, and the job is not over: a supervisor should start the program again (EX_TEMPFAIL)."""


def fail(message: str, code: int = FAILED) -> NoReturn:
    """End the command with a message and an exit code."""
    click.echo(f"Error: {message}", err=True)
    sys.exit(code)


def show(columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]], *, as_json: bool) -> None:
    """Print rows as a table, or as JSON."""
    if as_json:
        for row in rows:
            show_json(dict(zip(columns, row, strict=True)))
        return
    texts = [[value if isinstance(value, str) else text_of(value) for value in row] for row in rows]
    cut = [
        [
            text if len(text) <= WIDEST or column == "path" else f"{text[: WIDEST - 1]}…"
            for column, text in zip(columns, row, strict=True)
        ]
        for row in texts
    ]
    widths = [max(map(len, column)) for column in zip(columns, *cut, strict=True)]
    for line in (columns, *cut):
        click.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())


def show_json(value: Any) -> None:
    """Print one JSON object on a line of its own."""
    click.echo(json.dumps(value, default=repr, ensure_ascii=False))


duration = for_people
"""Write a duration for people."""


def amount(number: float) -> str:
    """Write a large number for people.

    >>> amount(7), amount(1_234), amount(45_600_000)
    ('7', '1.2 k', '45.6 M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.1f} {letter}"
    return f"{number:.0f}"
