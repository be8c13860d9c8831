from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.connectors.decoded_stream import Inflated, Transcoded, decoded, decompressor, open_file, skip

COMPRESS = {
    "a.gz": gzip.compress,
    "a.GZIP": gzip.compress,
    "a.bz2": bz2.compress,
    "a.xz": lzma.compress,
    "a.deflate": zlib.compress,
}


def read_all(stream, size):
    pieces = []
    while piece := stream.read(size):
        assert len(piece) <= size
        pieces.append(piece)
    return b"".join(pieces)


@pytest.mark.parametrize("name", COMPRESS)
def test_the_ending_tells_the_compression(tmp_path, name):
    content = b"one\ntwo\n" * 10_000
    path = tmp_path / name
    path.write_bytes(COMPRESS[name](content))
    with open_file(str(path)) as file:
        stream, charset = decoded(str(path), file, "utf-8")
        assert (read_all(stream, 1000), charset) == (content, "utf-8")


def test_several_gzip_members_are_one_stream(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    with open_file(str(path)) as file:
        assert read_all(decoded(str(path), file, "utf-8")[0], 3) == b"one\ntwo\n"


def test_other_files_are_not_compressed():
    assert decompressor("a.txt") is None
    assert decompressor("gz") is None


def test_a_deflated_file_that_is_cut_off_is_an_error():
    stream = Inflated(BytesIO(zlib.compress(b"x" * 100_000)[:-10]))
    with pytest.raises(EOFError, match="end-of-stream"):
        read_all(stream, 1000)


@given(text=st.text(), size=st.integers(1, 20), charset=st.sampled_from(["utf-16", "utf-16-be", "utf-32", "utf-7"]))
def test_any_charset_becomes_utf_8(text, size, charset):
    assert read_all(Transcoded(BytesIO(text.encode(charset)), charset), size).decode() == text


def test_a_file_in_both_a_charset_and_a_compression(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress("ä\nö\n".encode("utf-16")))
    with open_file(str(path)) as file:
        stream, charset = decoded(str(path), file, "utf-16")
        assert (read_all(stream, 100).decode(), charset) == ("ä\nö\n", "utf-8")


def test_skipping_stops_at_the_end():
    stream = BytesIO(b"0123456789")
    assert (skip(stream, 4), stream.read(1), skip(stream, 100)) == (4, b"4", 5)
