from __future__ import annotations

from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.connectors import text_lines
from flott.connectors.text_lines import checked_charset, cut_lines, decode_lines, is_splittable, line_feeds
from flott.errors import GraphError

CONTENT = st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"bcd", "é€😀".encode(), b"\xff\xc3"])).map(b"".join)


def lines_of(content):
    """The lines of a whole file, the obvious way."""
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def read_range(content, start, stop, size=None, charset="utf-8"):
    file = BytesIO(content)
    file.seek(max(0, start - 1))
    return [line for block in cut_lines(file, start, stop, size) for line in decode_lines(block, charset)]


@pytest.fixture(autouse=True, scope="module")
def tiny_pieces():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_lines, "PIECE", 5)
        patch.setattr(text_lines, "STEP", 3)
        yield


@given(content=CONTENT, cuts=st.lists(st.integers(0, 60), max_size=8))
def test_the_lines_of_all_ranges_are_the_lines_of_the_file(content, cuts):
    bounds = sorted({0, len(content), *(cut for cut in cuts if cut < len(content))})
    lines = []
    for start, stop in pairwise(bounds):
        lines += read_range(content, start, stop)
    assert lines == [line.decode("utf-8", "replace") for line in lines_of(content)]


@given(content=CONTENT, start=st.integers(0, 60), length=st.integers(1, 60))
def test_a_range_holds_the_lines_that_start_in_it(content, start, length):
    stop = start + length
    starts = [0, *(offset + 1 for offset, byte in enumerate(content) if byte == ord("\n"))]
    expected = [
        line.decode("utf-8", "replace")
        for line, offset in zip(lines_of(content), starts, strict=False)
        if start <= offset < stop
    ]
    assert read_range(content, start, stop) == expected


@given(content=CONTENT, appended=CONTENT, start=st.integers(0, 60))
def test_what_is_appended_later_is_not_read(content, appended, start):
    size = len(content)
    if start < size:
        assert read_range(content + appended, start, size, size) == read_range(content, start, size)


@given(content=CONTENT)
def test_to_the_end_means_all(content):
    assert read_range(content, 0, None) == [line.decode("utf-8", "replace") for line in lines_of(content)]


@given(text=st.lists(st.text(st.characters(codec="gbk", exclude_characters="\n\r"), max_size=5)))
def test_other_charsets(text):
    content = "".join(f"{line}\r\n" for line in text).encode("gbk")
    assert read_range(content, 0, None, charset="gbk") == text


@given(content=CONTENT, charset=st.sampled_from(["utf-8", "ascii", "iso8859-1"]))
def test_decoding_many_lines_at_once_is_decoding_each(content, charset):
    lines = content.split(b"\n")
    assert decode_lines(content, charset) == [line.removesuffix(b"\r").decode(charset, "replace") for line in lines]


@pytest.mark.parametrize("charset", ["UTF-8", "US-ASCII", "ISO-8859-1", "windows-1252", "GBK", "Shift_JIS", "EUC-JP"])
def test_these_charsets_can_be_cut(charset):
    assert is_splittable(checked_charset(charset))


@pytest.mark.parametrize("charset", ["UTF-16", "UTF-16LE", "UTF-32", "utf-7", "utf-8-sig", "ISO-2022-JP", "cp037"])
def test_these_charsets_cannot_be_cut(charset):
    assert not is_splittable(checked_charset(charset))


def test_an_unknown_charset_is_refused():
    with pytest.raises(GraphError, match="no charset 'UTF-9'"):
        checked_charset("UTF-9")


def test_a_line_longer_than_many_pieces():
    content = b"x" * 1000 + b"\n" + b"y" * 1000
    assert read_range(content, 0, 500) == ["x" * 1000]
    assert read_range(content, 500, 1001) == []
    assert read_range(content, 1001, 2001) == ["y" * 1000]


@pytest.mark.parametrize("block", [b"", b"\n", b"one", b"one\n\ntwo\r\n", bytes(range(256)) * 3])
def test_line_feeds_are_counted_as_by_count(block):
    assert line_feeds(block) == block.count(b"\n")
