"""Lines that can't be read: ignored and counted where the table says so, else an error that names file and line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from flott.errors import FlottError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.connectors.file_formats import LineFormat

UNREADABLE = (
    ValueError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError, FlottError, pa.ArrowException,
)  # fmt: skip
"""What parsers raise on lines of any content: too large numbers, lone surrogates and deep nesting among them."""


@dataclass(slots=True)
class Mistakes:
    """The mistakes in a block of lines."""

    form: LineFormat
    where: str
    before: Callable[[], int] | None
    """Counts the lines before the block."""
    ignored: int = 0

    def line(self, number: int, line: str, problem: str) -> None:
        """Leave out a line, or raise."""
        self._found(number, f"line {line!r:.200} can't be read: {problem}. Correct it")

    def value(self, number: int, column: str, problem: str) -> None:
        """Leave out a value, or raise."""
        self._found(number, f"column '{column}': {problem:.500}. Correct the line")

    def _found(self, number: int, text: str) -> None:
        if self.form.ignore_errors:
            self.ignored += 1
            return
        place = self.where if self.before is None else f"line {self.before() + number + 1} of {self.where}"
        raise FlottError(f"{place}: {text}, or set '{self.form.name}.ignore-parse-errors' = 'true'.") from None
