"""Files of CSV or JSON as columns: a source that hands on only the columns that somebody reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa

from flott.connectors.file_errors import reading
from flott.connectors.file_range import FileRange
from flott.connectors.line_numbers import LineNumbers
from flott.connectors.text_file import TextFileSource
from flott.table.connectors.file_metadata import Place, metadata_value
from flott.table.runtime.changes import pack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead
    from flott.table.runtime.line_parser import LineParser


class LinesSource(TextFileSource):
    """The rows of files, a line each.

    ``layout`` says what each column is: a key of the file's metadata, or None for the next column of the line.
    """

    # In columns, rows cost less the more there are: what is done for a batch, and for each of its keys, is done once.
    block_size: ClassVar[int] = 1 << 22

    def __init__(
        self, path: str, parser: LineParser, layout: Sequence[Place], discovery_interval: int | None = None
    ) -> None:
        super().__init__(path, share_files=True, discovery_interval=discovery_interval)
        self.parser = parser
        self.layout = tuple(layout)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        path = FileRange.of(read.split).path
        about = {key: metadata_value(key, path) for key in self.layout if key is not None}
        numbers = LineNumbers(read, self.charset)
        with reading(path):
            for block, _ in self.blocks(read):
                columns = self.parser.columns(block, f"'{path}'", numbers.before_block)
                numbers.after(block)
                if columns is not None:
                    length, rest = len(columns[0]), iter(columns)
                    yield pack(
                        [next(rest) if key is None else pa.repeat(about[key], length) for key in self.layout], None
                    )

    def take_parse_errors(self) -> int:
        """Return how many lines and values could not be read and were ignored since the last call."""
        return self.parser.take_parse_errors()

    def get_produced_type(self) -> TypeInformation | None:
        """Say nothing: these are columns, not lines."""
        return None
