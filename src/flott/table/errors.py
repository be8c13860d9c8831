"""What can be wrong with a statement: said with line, column, and the name that was probably meant."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

from flott.errors import FlottError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LOG = logging.getLogger(__name__)


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


class PlannerError(SqlError):
    """A fault of Flott: the planner met something that it does not expect."""


@contextmanager
def told(text: str | None = None, offset: int | None = 0) -> Iterator[None]:
    """Report whatever is raised inside as an error of Flott's own that points at a statement.

    >>> with told("SELECT 1", 7):
    ...     raise KeyError("price")
    Traceback (most recent call last):
    flott.table.errors.PlannerError: line 1, column 8: this can't be planned (KeyError: 'price'); it may be wrong ...
    """
    try:
        yield
    except FlottError:
        raise
    except RecursionError:
        raise SqlParserError("this is nested too deeply; name parts of it in WITH … AS (…)", text, offset) from None
    except Exception as error:
        raise unexpected(error, text, offset) from error


def unexpected(error: Exception, text: str | None, offset: int | None) -> PlannerError:
    """Log an error that is none of Flott's own, and return the one to raise instead."""
    LOG.error("planning failed: error=%s, statement=%r", type(error).__name__, text, exc_info=error)
    problem = (
        f"this can't be planned ({type(error).__name__}: {error}); it may be wrong in a way that is not recognised, "
        f"or it is a bug of Flott: please report it with the statement"
    )
    return PlannerError(problem, text, offset)


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
