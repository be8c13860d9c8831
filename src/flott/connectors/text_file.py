"""Text files, line by line, as a source."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from flott.common.typeinfo import Types
from flott.connectors.base import BATCH_SIZE, Source
from flott.connectors.decoded_stream import decoded, decompressor, open_file, skip
from flott.connectors.file_errors import reading
from flott.connectors.file_range import FileRange
from flott.connectors.find_files import find_files
from flott.connectors.text_file_enumerator import TextFileEnumerator
from flott.connectors.text_lines import PIECE, checked_charset, cut_lines, decode_lines, is_splittable
from flott.errors import FlottError, GraphError
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from flott.common.typeinfo import TypeInformation
    from flott.connectors.find_files import FoundFile
    from flott.runtime.source import SplitRead


class TextFileSource(Source):
    r"""The lines of files, without their line ends (``\\n`` or ``\\r\\n``).

    A path is a file, a directory (with all below it) or a pattern, on any file system that fsspec knows. Large
    files are read by several subtasks, each its range of bytes, except those that can't be cut: compressed ones
    (``.gz``, ``.bz2``, ``.xz``, ``.zst``, ``.deflate``) and charsets such as UTF-16.

    The files must not change while the job runs; what is appended to one after it was found is not read.

    >>> source = TextFileSource("logs/*.txt", "more/words.txt.gz", charset="ISO-8859-1")
    >>> source.is_bounded()
    True
    """

    fresh_batches: ClassVar[bool] = True

    block_size: ClassVar[int] = PIECE
    """How many bytes of lines are worked on at once."""

    def __init__(
        self,
        *paths: str | os.PathLike[str],
        charset: str = "UTF-8",
        share_files: bool = True,
        discovery_interval: int | None = None,
    ) -> None:
        if not paths:
            raise GraphError("a file source needs at least one path")
        self.paths = tuple(os.fspath(path) for path in paths)
        self.charset = checked_charset(charset)
        self.share_files = share_files
        """Whether several subtasks may read one file."""
        self.discovery_interval = discovery_interval
        """In milliseconds, how often to look for new files; None: read those that are there and end."""

    def is_bounded(self) -> bool:
        return self.discovery_interval is None

    def create_enumerator(self, parallelism: int) -> TextFileEnumerator:
        return TextFileEnumerator(
            self._find,
            self.can_cut,
            self.charset,
            parallelism,
            share_files=self.share_files,
            discovery_interval=self.discovery_interval,
        )

    def read(self, read: SplitRead) -> Iterator[Batch]:
        with reading(FileRange.of(read.split).path):
            for block, charset in self.blocks(read):
                yield from batches_of(decode_lines(block, charset))

    def blocks(self, read: SplitRead) -> Iterator[tuple[bytes, str]]:
        """Give out the lines of one planned read as they stand in the file, many at once, each with its charset."""
        if read.start == read.end:
            return
        piece = FileRange.of(read.split)
        with open_file(piece.path) as file:
            _check_size(file, piece)
            before = max(0, read.start - 1)  # the byte before tells whether a line starts here
            if self.can_cut(piece.path):
                file.seek(before)
                blocks = cut_lines(file, read.start, read.end, piece.size, self.block_size)
                charset = self.charset
            else:
                stream, charset = decoded(piece.path, file, self.charset)
                skip(stream, before)
                blocks = cut_lines(stream, read.start, read.end, piece=self.block_size)
            for block in blocks:
                yield block, charset

    def get_produced_type(self) -> TypeInformation | None:
        return Types.STRING()

    def _find(self) -> list[FoundFile]:
        return find_files(self.paths, may_be_missing=self.discovery_interval is not None)

    def can_cut(self, path: str) -> bool:
        """Say whether several subtasks can read one file."""
        return decompressor(path) is None and is_splittable(self.charset)


def batches_of(lines: list[str]) -> Iterator[Batch]:
    """Cut lines into batches."""
    if len(lines) <= BATCH_SIZE:
        yield Batch(lines)
        return
    for start in range(0, len(lines), BATCH_SIZE):
        yield Batch(lines[start : start + BATCH_SIZE])


def _check_size(file: BinaryIO, piece: FileRange) -> None:
    size: Any = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size < piece.size:
        raise FlottError(
            f"'{piece.path}' has {size} bytes; it had {piece.size} when the job found it. Files must not change while "
            f"a job reads them; write new files beside them instead."
        )
