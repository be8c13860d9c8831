"""Files that can't be cut anywhere: compressed ones, and text in charsets such as UTF-16.

They are read as one stream of UTF-8, and positions are offsets in that stream.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import fsspec

from flott.connectors.text_lines import PIECE, is_splittable

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.connectors.text_lines import Readable


class Inflated:
    """A zlib stream, read forward (files that end in ``.deflate``)."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._inflate = zlib.decompressobj()

    def read(self, size: int, /) -> bytes:
        while not self._inflate.eof:
            data = self._inflate.unconsumed_tail or self._file.read(PIECE)
            if not data:
                raise EOFError("the compressed file ended before the end-of-stream marker was reached")
            inflated = self._inflate.decompress(data, size)
            if inflated:
                return inflated
        return b""


class Transcoded:
    """Text of any charset as UTF-8, read forward."""

    def __init__(self, file: Readable, charset: str) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder(charset)("replace")
        self._ready = b""
        self._ended = False

    def read(self, size: int, /) -> bytes:
        while not self._ready and not self._ended:
            data = self._file.read(size)
            self._ended = not data
            self._ready = self._decoder.decode(data, final=self._ended).encode("utf-8", "replace")
        data, self._ready = self._ready[:size], self._ready[size:]
        return data


def unpacked_zstandard(file: Any) -> Readable:
    """Return the stream in a file that ends in ``.zst``."""
    import pyarrow as pa

    return cast("Readable", pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd"))


DECOMPRESSORS: dict[str, Callable[[Any], Readable]] = {
    ".gz": lambda file: cast("Readable", gzip.GzipFile(fileobj=file)),
    ".gzip": lambda file: cast("Readable", gzip.GzipFile(fileobj=file)),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
    ".deflate": Inflated,
    ".zst": unpacked_zstandard,
    ".zstd": unpacked_zstandard,
}


def decompressor(path: str) -> Callable[[Any], Readable] | None:
    """Return what opens the compression that a file name's ending tells, or None if it is not compressed."""
    return next((opener for ending, opener in DECOMPRESSORS.items() if path.lower().endswith(ending)), None)


def open_file(path: str) -> BinaryIO:
    """Open a file by path or URL."""
    file_system, inside = fsspec.core.url_to_fs(path)
    return cast("BinaryIO", file_system.open(inside, "rb"))


def decoded(path: str, file: BinaryIO, charset: str) -> tuple[Readable, str]:
    """Return the stream of text in an open file, and its charset: UTF-8 where it had to be transcoded."""
    opener = decompressor(path)
    stream: Readable = file if opener is None else opener(file)
    return (stream, charset) if is_splittable(charset) else (Transcoded(stream, charset), "utf-8")


def skip(stream: Readable, count: int) -> int:
    """Read over the next bytes; return how many there were, fewer than ``count`` at the end of the stream."""
    skipped = 0
    while skipped < count:
        data = stream.read(min(PIECE, count - skipped))
        if not data:
            break
        skipped += len(data)
    return skipped
