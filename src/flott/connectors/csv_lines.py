"""Lines of CSV: each is a row, so a quote that a line opens and does not close is a mistake of that line."""

from __future__ import annotations

import csv
from typing import Any

from flott.connectors.text_lines import line_feeds

OPEN_QUOTE = "a quote is opened and not closed in this line"


def cells_of(line: str, delimiter: str, quote: str | None = '"', escape: str | None = None) -> list[str]:
    """Return the values of a line; raises ValueError where a quote is not closed.

    >>> cells_of('1,"a, b",5" pipe', ",")
    ['1', 'a, b', '5" pipe']
    >>> cells_of('1,"a', ",")
    Traceback (most recent call last):
    ValueError: a quote is opened and not closed in this line
    """
    settings: dict[str, Any] = {"quoting": csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL}
    form = csv.reader([line, MARK], delimiter=delimiter, quotechar=quote, escapechar=escape, **settings)
    try:
        cells = next(form, [])
    except csv.Error as error:
        raise ValueError(str(error)) from None
    if form.line_num > 1:
        raise ValueError(OPEN_QUOTE)
    return cells


MARK = ""
"""A line behind the one that is read: read too only if that one goes on."""
EMPTY = frozenset({b"", b"\r"})


def first_open_quote(
    text: bytes, rows: int, delimiter: str, quote: str | None = '"', escape: str | None = None
) -> int | None:
    r"""Return the number of the first line of a block that opens a quote and does not close it.

    Args:
        text: The block.
        rows: How many rows Arrow found in it: as many as there are lines, unless a quote swallowed some.
        delimiter: What stands between values.
        quote: What values are quoted with.
        escape: What stands before a character that means itself.

    >>> first_open_quote(b'1,"a"\n2,"b\n3,c', 2, ","), first_open_quote(b'1,"a"\n2,b', 2, ",")
    (1, None)
    """
    if quote is None or quote.encode() not in text:
        return None
    end = len(text) - (text[-1:] == b"\n")
    last = text[text.rfind(b"\n", 0, end) + 1 : end]
    swallowed = rows <= line_feeds(text) and rows < sum(line not in EMPTY for line in text.split(b"\n"))
    if not swallowed and not _is_open(last, delimiter, quote, escape):
        return None
    lines = enumerate(text.split(b"\n"))
    return next((number for number, line in lines if _is_open(line, delimiter, quote, escape)), None)


def _is_open(line: bytes, delimiter: str, quote: str, escape: str | None) -> bool:
    if quote.encode() not in line:
        return False
    try:
        cells_of(line.decode("utf-8", "replace").removesuffix("\r"), delimiter, quote, escape)
    except ValueError as error:
        return str(error) == OPEN_QUOTE
    return False
