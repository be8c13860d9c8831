"""Lines of text become columns, in a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.runtime.operator import Operator
from flott.runtime.source import PARSE_ERRORS
from flott.table.runtime.changes import pack

if TYPE_CHECKING:
    from flott.runtime.batch import Batch
    from flott.table.runtime.line_parser import LineParser


class LinesToColumns(Operator):
    """Reads CSV or JSON, a row in each record."""

    def __init__(self, parser: LineParser) -> None:
        self.parser = parser

    def open(self) -> None:
        self._parse_errors = self.context.metrics.counter(PARSE_ERRORS)

    def process(self, batch: Batch) -> None:
        block = "\n".join(batch.values).encode("utf-8", "replace")
        columns = self.parser.columns(block, self.context.title)
        self._parse_errors.inc(self.parser.take_parse_errors())
        if columns is not None:
            self.output.emit(pack(columns, None))
