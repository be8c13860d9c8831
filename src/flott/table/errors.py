"""What can be wrong with a statement: said with line, column, and the name that was probably meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from flott.errors import FlottError

if TYPE_CHECKING:
    from collections.abc import Iterable


class TableError(FlottError):
    """A table program is wrong."""


class SqlError(TableError):
    """A statement is wrong at a place that is known.

    >>> raise SqlError("no column 'biddr'", "SELECT biddr FROM bid", 7)
    Traceback (most recent call last):
    flott.table.errors.SqlError: line 1, column 8: no column 'biddr'
      SELECT biddr FROM bid
             ^
    """

    def __init__(self, problem: str, text: str | None = None, offset: int | None = None) -> None:
        self.problem = problem
        self.line: int | None = None
        self.column: int | None = None
        message = problem
        if text is not None and offset is not None:
            before = text[:offset]
            self.line = before.count("\n") + 1
            self.column = offset - (before.rfind("\n") + 1) + 1
            shown = text.splitlines()[self.line - 1] if text else ""
            message = f"line {self.line}, column {self.column}: {problem}\n  {shown}\n  {' ' * (self.column - 1)}^"
        super().__init__(message)


class SqlParserError(SqlError):
    """A text is no SQL."""


class ValidationError(SqlError):
    """A statement names what is not there, or combines types that do not fit."""


class NotYetError(SqlError):
    """A statement is right, and can't be run yet."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the name that was probably meant, or which names there are.

    >>> did_you_mean("biddr", ["auction", "bidder", "price"])
    "; did you mean 'bidder'?"
    >>> did_you_mean("x", ["auction", "price"])
    '; there are auction, price'
    """
    names = list(dict.fromkeys(known))
    folded = {one.lower(): one for one in names}
    close = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    if close:
        return f"; did you mean '{folded[close[0]]}'?"
    return f"; there are {', '.join(names[:12])}{', …' if len(names) > 12 else ''}" if names else ""  # noqa: PLR2004 - counted on one hand
