"""Rows in messages of JSON and CSV: every expected value below is what PyFlink 2.3 gives."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from flott.common import Row, Types
from flott.datastream.formats.csv import CsvRowDeserializationSchema, CsvRowSerializationSchema
from flott.datastream.formats.json import JsonRowDeserializationSchema, JsonRowSerializationSchema
from flott.errors import FlottError, GraphError

FOUR = Types.ROW([Types.INT(), Types.STRING(), Types.DOUBLE(), Types.BOOLEAN()])
FAILS = "failed to deserialize"


def read(schema, message):
    row = schema.deserialize(message)
    return None if row is None else list(row)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1, "hi", 1.5, True], b'{"f0":1,"f1":"hi","f2":1.5,"f3":true}'),
        ([2, 'ä "q"\n', 1e20, False], '{"f0":2,"f1":"ä \\"q\\"\\n","f2":1.0E20,"f3":false}'.encode()),
        ([3, None, None, None], b'{"f0":3,"f1":null,"f2":null,"f3":null}'),
    ],
)
def test_json_is_written(row, message):
    assert JsonRowSerializationSchema.builder().with_type_info(FOUR).build().serialize(Row(*row)) == message


@pytest.mark.parametrize(
    ("message", "row"),
    [
        (b'{"f0":1,"f1":"x","f2":2,"f3":true}', [1, "x", 2.0, True]),
        (b'{"f0":"12","f1":5,"f2":"1.5","f3":"true"}', [12, "5", 1.5, True]),
        (b"{}", [None] * 4),
        (b'{"f1":true,"f3":"yes"}', [None, "true", None, False]),
    ],
)
def test_json_is_read(message, row):
    assert read(JsonRowDeserializationSchema.builder().type_info(FOUR).build(), message) == row


@pytest.mark.parametrize("message", [b"garbage", b"[1]", b'{"f0":"x"}', b'{"f0":99999999999}'])
def test_json_that_cannot_be_read(message):
    with pytest.raises(FlottError, match=FAILS):
        JsonRowDeserializationSchema.builder().type_info(FOUR).build().deserialize(message)


def test_json_errors_may_be_ignored_or_made_more():
    lenient = JsonRowDeserializationSchema.builder().type_info(FOUR).ignore_parse_errors().build()
    assert lenient.deserialize(b"garbage") is None
    assert read(lenient, b'{"f0":"x","f1":"y"}') == [None, "y", None, None]
    strict = JsonRowDeserializationSchema.builder().type_info(FOUR).fail_on_missing_field()
    with pytest.raises(FlottError, match="could not find field with name 'f1'"):
        strict.build().deserialize(b'{"f0":1}')
    with pytest.raises(GraphError, match="can't both"):
        strict.ignore_parse_errors().build()
    with pytest.raises(GraphError, match="a message is a row"):
        JsonRowDeserializationSchema.builder().type_info(Types.INT()).build()
    with pytest.raises(TypeError, match="Typeinfo should be set"):
        JsonRowSerializationSchema.builder().build()


def test_json_of_every_type_comes_back():
    kind = Types.ROW_NAMED(
        ["row", "list", "map", "bytes", "decimal", "date", "time", "moment"],
        [
            Types.ROW_NAMED(["a"], [Types.LONG()]), Types.BASIC_ARRAY(Types.STRING()),
            Types.MAP(Types.STRING(), Types.INT()), Types.PRIMITIVE_ARRAY(Types.BYTE()), Types.BIG_DEC(),
            Types.SQL_DATE(), Types.SQL_TIME(), Types.SQL_TIMESTAMP(),
        ],
    )  # fmt: skip
    moment = dt.datetime.fromisoformat("2020-01-31T12:30:15")
    values = [Row(a=7), ["x", "y"], {"k": 1}, b"\x00\xff", Decimal("1.5"), moment.date(), moment.time(), moment]
    message = JsonRowSerializationSchema.builder().with_type_info(kind).build().serialize(Row(*values))
    assert b'"time":"12:30:15Z","moment":"2020-01-31T12:30:15Z"' in message
    back = JsonRowDeserializationSchema.builder().type_info(kind).build().deserialize(message)
    assert list(back) == values
    assert back["list"] == ["x", "y"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([1, "hi", 1.5, True], b"1,hi,1.5,true\n"),
        ([2, "a b", 1e20, False], b'2,"a b",1.0E20,false\n'),
        ([3, None, None, None], b"3,,,\n"),
        ([4, "x" * 24, 0.1, True], b"4," + b"x" * 24 + b",0.1,true\n"),
        ([5, "x" * 25, 0.1, True], b'5,"' + b"x" * 25 + b'",0.1,true\n'),
        ([6, 'q"q', 1.0, True], b'6,"q""q",1.0,true\n'),
        ([9, "a-b", 1.0, True], b"9,a-b,1.0,true\n"),
        ([10, "a+b", 1.0, True], b'10,"a+b",1.0,true\n'),
        ([11, "a\nb", 1.0, True], b'11,"a\nb",1.0,true\n'),
    ],
)
def test_csv_is_written(row, message):
    assert CsvRowSerializationSchema.Builder(FOUR).build().serialize(Row(*row)) == message


def test_csv_is_written_otherwise():
    schema = CsvRowSerializationSchema.Builder(FOUR).set_field_delimiter(";").set_line_delimiter("")
    schema = schema.set_null_literal("null").set_escape_character("\\").build()
    rows = [[2, "a\\b", 1.0, True], [3, None, None, None], [4, "a;b", 1.0, True], [7, "a<b", 1.0, True]]
    assert [schema.serialize(Row(*row)) for row in rows] == [
        b'2;"a\\\\b";1.0;true', b"3;null;null;null", b'4;"a;b";1.0;true', b"7;a<b;1.0;true",
    ]  # fmt: skip
    bare = CsvRowSerializationSchema.Builder(FOUR).disable_quote_character().build()
    assert bare.serialize(Row(1, "a,b c", 1.0, True)) == b"1,a,b c,1.0,true\n"


@pytest.mark.parametrize(
    ("message", "row"),
    [
        (b"1,hi,1.5,true", [1, "hi", 1.5, True]),
        (b'1,"a, b",1.5,false\n', [1, "a, b", 1.5, False]),
        (b" 1, hi ,1.5,true", [1, " hi ", 1.5, True]),
        (b'1,"q""q",1,TRUE', [1, 'q"q', 1.0, True]),
    ],
)
def test_csv_is_read(message, row):
    assert read(CsvRowDeserializationSchema.Builder(FOUR).build(), message) == row


@pytest.mark.parametrize("message", [b"1,,,", b"1,hi", b"x,hi,1,true", b"1,hi,1,true,5"])
def test_csv_that_cannot_be_read(message):
    with pytest.raises(FlottError, match=FAILS):
        CsvRowDeserializationSchema.Builder(FOUR).build().deserialize(message)


def test_csv_errors_may_be_ignored():
    schema = CsvRowDeserializationSchema.Builder(FOUR).set_null_literal("").set_ignore_parse_errors(True)
    schema = schema.set_allow_comments(True).build()
    assert read(schema, b"1,,,") == [1, None, None, None]
    assert read(schema, b"x,hi,1,true") == [None, "hi", 1.0, True]
    assert read(schema, b"1,hi") == [1, "hi", None, None]
    assert read(schema, b"# a comment") is None


def test_csv_arrays_come_back():
    kind = Types.ROW([Types.BASIC_ARRAY(Types.STRING()), Types.ROW([Types.INT(), Types.STRING()])])
    message = CsvRowSerializationSchema.Builder(kind).build().serialize(Row(["a", "b"], Row(1, "c")))
    assert message == b"a;b,1;c\n"
    assert read(CsvRowDeserializationSchema.Builder(kind).build(), message) == [["a", "b"], Row(1, "c")]


POISON = {
    "a number beyond 64 bits": (b'{"id": 9223372036854775808}', None),
    "half of a pair": (b'{"name": "\\ud800"}', None),
    "wrong bytes": (b'{"name": "\xff"}', None),
    "an infinite number": (b'{"id": 1e400}', None),
    "deep nesting": (b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", None),
}


@pytest.mark.parametrize("what", POISON)
def test_json_of_any_content_is_ignored_or_named(what):
    message, _ = POISON[what]
    kind = Types.ROW_NAMED(["id", "name"], [Types.LONG(), Types.STRING()])
    builder = JsonRowDeserializationSchema.builder().type_info(kind)
    with pytest.raises(FlottError, match="failed to deserialize JSON"):
        builder.build().deserialize(message)
    assert builder.ignore_parse_errors().build().deserialize(message) in (None, Row(id=None, name=None))


@pytest.mark.parametrize("message", [b"\xff,x", b'1,"x', b"9223372036854775808,x"])
def test_csv_of_any_content_is_ignored_or_named(message):
    kind = Types.ROW([Types.LONG(), Types.STRING()])
    with pytest.raises(FlottError, match="failed to deserialize CSV row"):
        CsvRowDeserializationSchema.Builder(kind).build().deserialize(message)
    lenient = CsvRowDeserializationSchema.Builder(kind).set_ignore_parse_errors(True).build()
    assert lenient.deserialize(message) in (None, Row(None, "x"))
