from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common.duration_text import format_duration, format_iso_duration, parse_duration

SECOND = 1_000_000_000

# What Flink's TimeUtils and Java's Duration answer for the same texts.
FLINK_READS = [
    ("10", 10_000_000),
    ("10 s", 10 * SECOND),
    ("10s", 10 * SECOND),
    (" 10  s ", 10 * SECOND),
    ("10 S", 10 * SECOND),
    ("10 SEC", 10 * SECOND),
    ("1 secs", SECOND),
    ("1 second", SECOND),
    ("1 seconds", SECOND),
    ("1 min", 60 * SECOND),
    ("1 m", 60 * SECOND),
    ("1minutes", 60 * SECOND),
    ("2 h", 7200 * SECOND),
    ("5 hours", 18_000 * SECOND),
    ("3 d", 259_200 * SECOND),
    ("7 days", 604_800 * SECOND),
    ("5 ms", 5_000_000),
    ("1 milli", 1_000_000),
    ("1 milliseconds", 1_000_000),
    ("5 µs", 5_000),
    ("5 micros", 5_000),
    ("5 ns", 5),
    ("1 nanosecond", 1),
    ("PT10S", 10 * SECOND),
    ("pt1.5s", 3 * SECOND // 2),
    ("P2D", 172_800 * SECOND),
    ("P1DT2H3M4.5S", 93_784 * SECOND + SECOND // 2),
    ("PT-5S", -5 * SECOND),
    ("PT-0.5S", -SECOND // 2),
    ("-PT5S", -5 * SECOND),
    ("+PT1S", SECOND),
    ("PT+3S", 3 * SECOND),
]
FLINK_REFUSES = ["", "s", "1.5 s", "-1 s", "1 weeks", "ten s", "10 s s", "P", "PT", "PT0.5M", "PT.5S", "P1W", "P1DT"]


@pytest.mark.parametrize(("text", "nanos"), FLINK_READS)
def test_reads_what_flink_reads(text, nanos):
    assert parse_duration(text) == nanos


@pytest.mark.parametrize("text", FLINK_REFUSES)
def test_refuses_what_flink_refuses(text):
    with pytest.raises(ValueError, match=r"is no duration|unknown time unit"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("nanos", "text"),
    [
        (100_000_000, "100 ms"),
        (60 * SECOND, "1 min"),
        (5400 * SECOND, "90 min"),
        (86_400 * SECOND, "1 d"),
        (5, "5 ns"),
        (0, "0 ms"),
        (3 * SECOND // 2, "1500 ms"),
        (-5 * SECOND, "PT-5S"),
    ],
)
def test_writes_the_largest_unit_that_fits(nanos, text):
    assert format_duration(nanos) == text


@pytest.mark.parametrize(
    ("nanos", "text"),
    [
        (0, "PT0S"),
        (100_000_000, "PT0.1S"),
        (-SECOND, "PT-1S"),
        (-3 * SECOND // 2, "PT-1.5S"),
        (259_200 * SECOND, "PT72H"),
        (5, "PT0.000000005S"),
        (-1, "PT-0.000000001S"),
        (3661 * SECOND, "PT1H1M1S"),
    ],
)
def test_writes_iso_like_java(nanos, text):
    assert format_iso_duration(nanos) == text


@given(st.integers(-(2**70), 2**70))
def test_what_is_written_reads_back(nanos):
    assert parse_duration(format_duration(nanos)) == nanos
    assert parse_duration(format_iso_duration(nanos)) == nanos
