from __future__ import annotations

import pickle

import pytest

from flott.connectors.date_pattern import DatePattern
from flott.errors import GraphError

MOMENT = 1_700_000_000_123  # 2023-11-14 22:13:20.123 UTC


@pytest.mark.parametrize(("pattern", "text"), [
    ("yyyy-MM-dd--HH", "2023-11-14--22"),
    ("yyyyMMdd/HHmm", "20231114/2213"),
    ("uuuu-DDD", "2023-318"),
    ("yy.M.d H:m:s", "23.11.14 22:13:20"),
    ("ss.SSS", "20.123"),
    ("'dt='yyyy-MM-dd", "dt=2023-11-14"),
    ("yyyy'T''T'''", "2023T'T'"),
    ("{yyyy}", "{2023}"),
])  # fmt: skip
def test_javas_patterns(pattern, text):
    assert DatePattern(pattern, "UTC").format(MOMENT) == text


@pytest.mark.parametrize(("zone", "hour"), [
    ("UTC", "22:13"), ("Z", "22:13"), ("Asia/Tokyo", "07:13"), ("America/Los_Angeles", "14:13"),
    ("GMT-08:00", "14:13"), ("UTC+5", "03:13"), ("+05:30", "03:43"), ("+0530", "03:43"),
])  # fmt: skip
def test_time_zones(zone, hour):
    assert DatePattern("HH:mm", zone).format(MOMENT) == hour


def test_without_a_zone_it_is_that_of_the_machine(monkeypatch):
    time = pytest.importorskip("time")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert DatePattern("HH").format(MOMENT) == "07"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_times_before_1970():
    assert DatePattern("yyyy-MM-dd HH:mm:ss.SSS", "UTC").format(-1) == "1969-12-31 23:59:59.999"


def test_it_can_be_pickled():
    pattern = pickle.loads(pickle.dumps(DatePattern("HH", "Asia/Tokyo")))
    assert pattern.format(MOMENT) == "07"


@pytest.mark.parametrize(("pattern", "zone", "message"), [
    ("yyyy-QQ", None, "'QQ' is not known; there are yyyy"),
    ("yyyy'T", None, "never closed"),
    ("HH", "Mars/Olympus", "no time zone 'Mars/Olympus'"),
    ("HH", "../etc/passwd", "no time zone"),
])  # fmt: skip
def test_mistakes_are_refused(pattern, zone, message):
    with pytest.raises(GraphError, match=message):
        DatePattern(pattern, zone)
