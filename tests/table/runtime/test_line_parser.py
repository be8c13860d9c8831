"""Blocks of lines: the same columns whether Arrow reads them or they are read line by line."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from flott.errors import FlottError
from flott.table.connectors.file_formats import LineFormat
from flott.table.runtime.line_parser import LineParser
from flott.table.types import DataTypes

COLUMNS = {
    "id": DataTypes.BIGINT(),
    "name": DataTypes.STRING(),
    "rate": DataTypes.DOUBLE(),
    "good": DataTypes.BOOLEAN(),
    "at": DataTypes.TIMESTAMP(3),
}
CSV = b'1,"a, ""b""",2.5,true,2020-01-31 12:00:00.123\n\n2,,,false,2020-01-31 12:00:01\n'
JSON = (
    b'{"id": 1, "name": "a, \\"b\\"", "rate": 2.5, "good": true, "at": "2020-01-31 12:00:00.123", "more": [1]}\n'
    b'{"id": 2, "name": "", "good": false, "at": "2020-01-31 12:00:01"}\n'
)
ROWS = [
    (1, 'a, "b"', 2.5, True, dt.datetime(2020, 1, 31, 12, 0, 0, 123_000)),  # noqa: DTZ001 - in no time zone
    (2, "", None, False, dt.datetime(2020, 1, 31, 12, 0, 1)),  # noqa: DTZ001 - same
]


def parser(form, wanted=None, **options):
    return LineParser(LineFormat(form, **options), list(COLUMNS), list(COLUMNS.values()), wanted)


def rows(columns):
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


@pytest.mark.parametrize(("form", "block"), [("csv", CSV), ("json", JSON)])
def test_both_ways(form, block, monkeypatch):
    assert rows(parser(form).columns(block, "")) == ROWS
    assert rows(parser(form, ["at", "id"]).columns(block, "")) == [(row[4], row[0]) for row in ROWS]

    def refuse(*_):
        raise pa.ArrowInvalid

    monkeypatch.setattr(LineParser, "_quick", refuse)
    assert rows(parser(form).columns(block, "")) == ROWS
    assert rows(parser(form, ["at", "id"]).columns(block, "")) == [(row[4], row[0]) for row in ROWS]


def test_what_only_cast_reads():
    line = b" 7 ,x,1,yes,2020-1-31 12:00\n"
    at = dt.datetime(2020, 1, 31, 12)  # noqa: DTZ001 - in no time zone
    assert rows(parser("csv").columns(line, "")) == [(7, "x", 1.0, True, at)]


def test_a_word_for_null():
    line = b"1,none,none,true,none\n"
    assert rows(parser("csv", null="none").columns(line, "")) == [(1, None, None, True, None)]


def test_mistakes_are_named():
    with pytest.raises(FlottError, match=r"the file: line '1,x' can't be read: it has 2 values for 5 columns"):
        parser("csv").columns(b"1,x\n", "the file")
    with pytest.raises(FlottError, match=r"column 'id': CAST\('0x10' AS BIGINT\): .*'csv\.ignore-parse-errors'"):
        parser("csv").columns(b"0x10,x,,,\n", "the file")
    with pytest.raises(FlottError, match="no object of JSON"):
        parser("json").columns(b"[1]\n", "the file")
    assert parser("csv", ignore_errors=True).columns(b"1,x\n", "") is None


@pytest.mark.parametrize("before", ["", "7,x,,,\n", "77,x,,,\n"])
@pytest.mark.parametrize("number", ["0x1", "0X1"])
def test_hexadecimal_numbers_are_found_wherever_they_stand(before, number):
    with pytest.raises(FlottError, match=f"CAST\\('{number}' AS BIGINT\\)"):
        parser("csv").columns(f"{before}{number},x,,,\n".encode(), "the file")


def test_nothing_in_it():
    assert parser("csv").columns(b"\n\n", "") is None
    assert parser("json").columns(b"", "") is None


# Malformed input

GOOD = '{"id": 1, "name": "x"}'
DEEP = '{"id": 2, "name": ' + "[" * 100_000 + "]" * 100_000 + "}"
POISON = {
    "a number beyond 64 bits": '{"id": 9223372036854775808, "name": "x"}',
    "half of a pair": '{"id": 2, "name": "\\ud800"}',
    "an infinite number": '{"id": 1e400, "name": "x"}',
    "deep nesting": DEEP,
    "no object": "[1]",
    "no JSON": '{"id": 2',
}


@pytest.mark.parametrize("what", POISON)
def test_what_can_not_be_read_is_ignored_and_counted(what):
    lenient = parser("json", ["id", "name"], ignore_errors=True)
    found = rows(lenient.columns(f"{GOOD}\n{POISON[what]}\n{GOOD}\n".encode(), "the file"))
    assert found[0] == found[-1] == (1, "x")
    assert len(found) == 2 or None in found[1]
    assert lenient.take_parse_errors() == 1
    assert lenient.take_parse_errors() == 0


@pytest.mark.parametrize("what", POISON)
def test_what_can_not_be_read_is_named_by_its_line(what):
    with pytest.raises(FlottError, match=r"^line 43 of the file: .*'json\.ignore-parse-errors' = 'true'"):
        parser("json", ["id", "name"]).columns(f"{GOOD}\n\n{POISON[what]}\n".encode(), "the file", lambda: 40)


@pytest.mark.parametrize(("form", "good", "bad"), [
    ("json", GOOD.encode(), b'{"id": 1, "name": "a\xff"}'),
    ("csv", b"1,x,,,", b"2,\xff,,,"),
])  # fmt: skip
def test_bytes_that_are_no_utf8_are_a_mistake_of_their_line(form, good, bad):
    block = good + b"\n" + bad + b"\n" + good
    with pytest.raises(FlottError, match=r"^line 2 of the file: .* bytes that are no UTF-8"):
        parser(form, ["id", "name"]).columns(block, "the file", lambda: 0)
    lenient = parser(form, ["id", "name"], ignore_errors=True)
    assert rows(lenient.columns(block, "the file")) == [(1, "x"), (1, "x")]
    assert lenient.take_parse_errors() == 1


@pytest.mark.parametrize(
    "value", ["[" * 5_000 + "]" * 5_000, '[1, {"a": 2}]', "7", "[99999999999999999999]", '["\\ud800"]']
)
def test_nested_values_that_do_not_fit_are_ignored(value):
    form = LineFormat("json", ignore_errors=True)
    nested = LineParser(form, ["id", "many"], [DataTypes.BIGINT(), DataTypes.ARRAY(DataTypes.BIGINT())])
    block = f'{{"id": 1, "many": [1, 2]}}\n{{"id": 2, "many": {value}}}\n'
    found = rows(nested.columns(block.encode(), "the file"))
    assert found in ([(1, [1, 2]), (2, None)], [(1, [1, 2])])
    assert nested.take_parse_errors() == 1


def test_an_open_quote_is_a_mistake_of_its_line():
    block = b'1,x,,,\n2,"y,,,\n' + b"3,z,,,\n" * 100_000
    with pytest.raises(FlottError, match=r"^line 2 of the file: line '2,\"y,,,' can't be read: a quote is opened and"):
        parser("csv").columns(block, "the file", lambda: 0)
    lenient = parser("csv", ignore_errors=True)
    assert len(lenient.columns(block, "the file")[0]) == 100_001
    assert lenient.take_parse_errors() == 1


@pytest.mark.parametrize("block", [b'1,"x,,,', b'1,x,,,\n2,"y,,,', b'1,"x,,,\n2,y",,,\n', b'1,"x,,,\r\n'])
def test_an_open_quote_is_found_wherever_it_stands(block):
    with pytest.raises(FlottError, match="a quote is opened and not closed in this line"):
        parser("csv").columns(block, "the file")
