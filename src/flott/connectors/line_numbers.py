"""The number of a line in its file, for errors: counted only when there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.connectors.decoded_stream import decoded, open_file
from flott.connectors.file_range import FileRange
from flott.connectors.text_lines import PIECE, line_feeds

if TYPE_CHECKING:
    from flott.runtime.source import SplitRead


@dataclass(slots=True)
class LineNumbers:
    """Counts the lines of a read, block by block."""

    read: SplitRead
    charset: str
    passed: int = 0
    """Lines of the read before the block."""

    def after(self, block: bytes) -> None:
        """Go on behind a block."""
        self.passed += line_feeds(block) + 1

    def before_block(self) -> int:
        """Count the lines of the file before the block."""
        path, start = FileRange.of(self.read.split).path, self.read.start
        count, last = 0, b"\n"
        with open_file(path) as file:
            stream, _ = decoded(path, file, self.charset)
            while start and (data := stream.read(min(PIECE, start))):
                count, last, start = count + line_feeds(data), data[-1:], start - len(data)
        # A line that starts before the read and goes on in it belongs to the read before.
        return count + (last != b"\n") + self.passed
