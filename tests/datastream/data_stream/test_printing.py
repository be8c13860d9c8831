from __future__ import annotations

import datetime as dt

import pytest

from flott.common import Row, RowKind, Types
from flott.datastream.data_stream.printing import Printer, renderer


@pytest.mark.parametrize(
    ("identifier", "parallelism", "line"),
    [(None, 1, "v"), ("out", 1, "out> v"), (None, 4, "3> v"), ("out", 4, "out:3> v"), ("", 1, "v")],
)
def test_the_prefix_is_flinks(capsys, identifier, parallelism, line):
    Printer(identifier, str)(2, parallelism, ["v"])
    assert capsys.readouterr().out == f"{line}\n"


def test_the_error_output(capsys):
    Printer("x", str, "stderr")(0, 1, [1, 2])
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "x> 1\nx> 2\n")


@pytest.mark.parametrize(
    ("type_info", "value", "text"),
    [
        (None, ("a", 1), "('a', 1)"),
        (Types.PICKLED_BYTE_ARRAY(), "a", "a"),
        (Types.PICKLED_BYTE_ARRAY(), Row("a", 1), "<Row('a', 1)>"),
        (Types.STRING(), "a", "a"),
        (Types.STRING(), None, "null"),
        (Types.LONG(), 7, "7"),
        (Types.BOOLEAN(), True, "true"),
        (Types.TUPLE([Types.STRING(), Types.BOOLEAN()]), ("a", False), "(a,false)"),
        (Types.LIST(Types.LONG()), [1, 2], "[1, 2]"),
        (Types.MAP(Types.STRING(), Types.LONG()), {"a": 1, "b": 2}, "{a=1, b=2}"),
        (Types.SQL_DATE(), dt.date(2024, 1, 2), "2024-01-02"),
        (Types.ROW([Types.STRING(), Types.LONG()]), Row("a", 1), "+I[a,1]"),
        (Types.ROW([Types.STRING(), Types.LONG()]), Row.of_kind(RowKind.DELETE, "a", None), "-D[a,None]"),
        (Types.DOUBLE(), 1.0, "1.0"),
        (Types.DOUBLE(), 0.0, "0.0"),
        (Types.DOUBLE(), -0.001, "-0.001"),
        (Types.DOUBLE(), 0.0001, "1.0E-4"),
        (Types.DOUBLE(), 9999999.0, "9999999.0"),
        (Types.DOUBLE(), 12345678.5, "1.23456785E7"),
        (Types.DOUBLE(), -1e300, "-1.0E300"),
        (Types.DOUBLE(), float("nan"), "NaN"),
        (Types.DOUBLE(), float("-inf"), "-Infinity"),
    ],
)
def test_values_look_as_in_flink(type_info, value, text):
    assert renderer(type_info)(value) == text
