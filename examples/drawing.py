"""Tables and bars in plain text, for the end of an example."""

from __future__ import annotations

import datetime as dt


def table(heads, rows) -> str:
    """Draw rows below their heads; numbers stand to the right.

    >>> print(table(["item", "sold"], [("apple", 1200), ("fig", 7)]))
    item    sold
    ------------
    apple  1,200
    fig        7
    """
    rows = [tuple(row) for row in rows]
    texts = [tuple(_text(cell) for cell in row) for row in rows]
    right = [bool(rows) and all(isinstance(row[place], int | float) for row in rows) for place in range(len(heads))]
    widths = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]

    def line(cells) -> str:
        drawn = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, right, strict=True)
        )
        return "  ".join(drawn).rstrip()

    head = line(heads)
    return "\n".join([head, "-" * (sum(widths) + 2 * (len(widths) - 1)), *map(line, texts)])


def bars(figures, width: int = 40) -> str:
    """Draw a bar for each name and number, the largest as wide as there is room.

    >>> print(bars({"a": 4, "bb": 2}, width=8))
    a   ████████  4
    bb  ████      2
    """
    figures = dict(figures)
    most = max(figures.values(), default=0) or 1
    names = max(map(len, figures), default=0)
    return "\n".join(
        f"{name:{names}}  {'█' * round(width * number / most):{width}}  {_text(number)}"
        for name, number in figures.items()
    )


def clock(millis: int, form: str = "%H:%M") -> str:
    """Write a time of day.

    >>> clock(1_767_258_000_000)
    '09:00'
    """
    return dt.datetime.fromtimestamp(millis / 1000, dt.timezone.utc).strftime(form)


def _text(cell) -> str:
    if isinstance(cell, float):
        return f"{cell:,.2f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
