r"""Cutting bytes into lines, at any offset: a range of bytes holds the lines that start in it.

A line starts at offset 0 and after each line feed. So the lines of ranges that touch, whatever the cuts, are the
lines of the whole; and a cut may fall into a character, since no byte of a longer UTF-8 character is a line feed.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Protocol

import numpy as np

from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 1 << 20
"""How many bytes are read, and turned into lines, at once."""
STEP = 1 << 16
"""How many bytes are read at once in search of the end of a range's last line."""

LINE_FEED = 10

# Decode the same whether line by line or many lines at once.
PLAIN_CHARSETS = frozenset({"utf-8", "ascii", "iso8859-1"})
# In these the meaning of a byte depends on those before it.
STATEFUL_CHARSETS = ("utf-7", "iso2022", "hz")


class Readable(Protocol):
    """All that cutting needs of an open file."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most ``size``; none at the end."""


def checked_charset(charset: str) -> str:
    """Return the name under which Python knows a charset, or say that it does not."""
    try:
        return codecs.lookup(charset).name
    except LookupError:
        raise GraphError(
            f"there is no charset '{charset}'; the usual ones are UTF-8, UTF-16, ISO-8859-1 and GBK"
        ) from None


def is_splittable(charset: str) -> bool:
    """Return whether bytes in this charset can be cut at any line feed and decoded from there."""
    return not charset.startswith(STATEFUL_CHARSETS) and "\n".encode(charset) == b"\n"


def is_utf8(text: bytes | str) -> bool:
    r"""Say whether bytes are UTF-8; or text that bytes were decoded to with ``surrogateescape``.

    >>> is_utf8("a".encode()), is_utf8(b"\xff"), is_utf8(b"\xff".decode("utf-8", "surrogateescape"))
    (True, False, False)
    """
    try:
        return text.isascii() or (text.encode() if isinstance(text, str) else text.decode()) is not None
    except UnicodeError:
        return False


def line_feeds(block: bytes) -> int:
    r"""Return how many line feeds there are: as block.count does, which takes five times as long for a block.

    >>> line_feeds(b"one\n\ntwo")
    2
    """
    return int(np.count_nonzero(np.frombuffer(block, np.uint8) == LINE_FEED))


def cut_lines(
    file: Readable, start: int, stop: int | None, size: int | None = None, piece: int = PIECE
) -> Iterator[bytes]:
    r"""Yield the lines that start in a range, many at once, without the line feed of the last.

    The file stands at offset ``start - 1`` (or 0), since the byte before the range tells whether a line starts with
    it. ``stop`` None: up to the end; ``size``: the file counts as ended there; ``piece``: how many bytes make a block.

    >>> from io import BytesIO
    >>> list(cut_lines(BytesIO(b"one\ntwo\nthree"), 0, 5))
    [b'one', b'two']
    """
    position = max(0, start - 1)
    if start > 0:
        position, data = _find_line_start(file, position, stop, size)
    else:
        data = _read(file, position, stop, size, piece)
    unfinished: list[bytes] = []
    while data:
        if stop is not None and position + len(data) >= stop:
            last = data.find(b"\n", max(0, stop - 1 - position))
            if last >= 0:
                unfinished.append(data[:last])
                yield b"".join(unfinished)
                return
        last = data.rfind(b"\n")
        if last < 0:
            unfinished.append(data)
        else:
            unfinished.append(data[:last])
            yield b"".join(unfinished)
            unfinished = [data[last + 1 :]]
        position += len(data)
        data = _read(file, position, stop, size, piece)
    rest = b"".join(unfinished)
    if rest:
        yield rest


def _find_line_start(file: Readable, position: int, stop: int | None, size: int | None) -> tuple[int, bytes]:
    """Return the offset of the next line and what was read of it; nothing if it starts at ``stop`` or later."""
    while data := _read(file, position, stop, size):
        feed = data.find(b"\n")
        if feed >= 0:
            position += feed + 1
            if stop is not None and position >= stop:
                return position, b""
            # Never hand back nothing while there may be more to come.
            return position, data[feed + 1 :] or _read(file, position, stop, size)
        position += len(data)
        if stop is not None and position >= stop:
            break
    return position, b""


def _read(file: Readable, position: int, stop: int | None, size: int | None, piece: int = PIECE) -> bytes:
    wanted = piece
    if stop is not None:
        wanted = min(wanted, stop - position) if position < stop else STEP
    if size is not None:
        wanted = min(wanted, size - position)
    return file.read(wanted) if wanted > 0 else b""


def decode_lines(block: bytes, charset: str) -> list[str]:
    r"""Return the lines of a block as text; a carriage return before a line feed belongs to the line end.

    Bytes that are wrong in the charset become U+FFFD, as in Flink.

    >>> decode_lines(b"one\r\n\ntwo", "utf-8")
    ['one', '', 'two']
    """
    if charset not in PLAIN_CHARSETS:
        return [line.removesuffix(b"\r").decode(charset, "replace") for line in block.split(b"\n")]
    text = block.decode(charset, "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").removesuffix("\r")
    return text.split("\n")
