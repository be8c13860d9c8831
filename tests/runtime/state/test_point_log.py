"""The log of entries that are only looked up, against a dict: over growth, clean-up and torn tables."""

from __future__ import annotations

import random
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.runtime.state import point_log as module
from flott.runtime.state.point_log import LogHead, PointLog, unpack_head
from flott.runtime.state.points import batch_of

START = b"\0\x07col1\0\x04"


def addresses_with_one_mark():
    """Return two addresses that have the same mark."""
    seen = {}
    for number in range(1_000_000):
        address = START + b"%d" % (number * 7_919)
        other = seen.setdefault(crc32(address), address)
        if other != address:
            return [other, address]
    raise AssertionError


TWINS = addresses_with_one_mark()
KEYS = [*TWINS, *(START + bytes([letter]) * length for letter in b"abcdefg" for length in (1, 7, 8, 9, 300))]
changes = st.dictionaries(st.sampled_from(KEYS), st.none() | st.binary(max_size=40), max_size=len(KEYS))
steps = st.lists(st.one_of(changes, st.sampled_from(["mend", "anew", "reopen", "clear"])), max_size=30)


def append(log, entries):
    log.append(batch_of(list(entries), list(entries.values())))


def content(log):
    found = list(log.entries())
    assert len(found) == len(dict(found))
    return dict(found)


@given(steps)
def test_like_a_dict(tmp_path_factory, taken):
    log, model = PointLog(tmp_path_factory.mktemp("log")), {}
    for step in taken:
        if step == "mend":
            log.mend()
        elif step == "anew" and log.head.end:
            log.write_anew()
        elif step == "reopen":
            # As another process does, which knows only what was written down.
            head = unpack_head(log.head.pack())
            log = PointLog(log.directory)
            log.open(head)
        elif step == "clear":
            log.clear(log.head)
            model = {}
        elif isinstance(step, dict):
            append(log, step)
            model.update(step)
        log.tidy()
        assert {key: log.get(key) for key in KEYS} == {key: model.get(key) for key in KEYS}
        assert log.get_many(KEYS) == [model.get(key) for key in KEYS]
        assert content(log) == {key: value for key, value in model.items() if value is not None}


def test_many_entries_over_many_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LITTLE_WASTE", 100_000)
    monkeypatch.setattr(module, "CHUNK_ENTRIES", 1_000)
    monkeypatch.setattr(module, "CHUNK_SIZE", 50_000)
    chance, log, model = random.Random(1), PointLog(tmp_path), {}
    for number in range(60):
        some = {
            START + b"%d" % chance.randrange(20_000): b"%d" % number * chance.randrange(1, 40) for _ in range(1_500)
        }
        some.update(dict.fromkeys(chance.sample(sorted(some), 50)))
        append(log, some)
        log.tidy()
        model.update(some)
    assert all(log.get(key) == value for key, value in model.items())
    assert log.get_many(list(model)) == list(model.values())
    assert log.get(START + b"nobody") is None
    assert log.get_many([START + b"nobody", next(iter(model))])[0] is None
    model = {key: value for key, value in model.items() if value is not None}
    assert content(log) == model
    assert log.head.generation > 1, "it was never written anew"
    assert log.head.end < 4 * sum(len(key) + len(value) + 20 for key, value in model.items()) + 200_000
    # Of logs and tables that were replaced nothing is left.
    assert len(list(tmp_path.iterdir())) == 2


def test_a_look_that_began_before_goes_on_in_files_that_were_replaced(tmp_path):
    log = PointLog(tmp_path)
    append(log, {START + b"%d" % number: b"old" for number in range(100)})
    other = PointLog(tmp_path)
    other.open(log.head)
    log.write_anew()
    log.tidy()
    append(log, {START + b"5": b"new"})
    assert other.get(START + b"5") == b"old"
    other.open(log.head)
    assert other.get(START + b"5") == b"new"


def test_a_torn_table_is_made_again(tmp_path):
    log = PointLog(tmp_path)
    append(log, {START + b"%d" % number: b"%d" % number for number in range(1_000)})
    append(log, {START + b"%d" % number: b"again" for number in range(0, 1_000, 2)})
    log._table[::3] = 12_345
    log.mend()
    assert all(log.get(START + b"%d" % n) == (b"%d" % n if n % 2 else b"again") for n in range(1_000))


def test_nothing_is_read_behind_the_head(tmp_path):
    log = PointLog(tmp_path)
    append(log, {START + b"1": b"one"})
    head = log.head
    append(log, {START + b"1": b"another", START + b"2": b"two"})
    # The second batch never counted: its process died.
    again = PointLog(tmp_path)
    again.open(head)
    again.mend()
    assert content(again) == {START + b"1": b"one"}
    append(again, {START + b"3": b"three"})
    assert content(again) == {START + b"1": b"one", START + b"3": b"three"}


def test_a_head_comes_back_from_its_bytes():
    head = LogHead(3, 2**39, 5, 7, 22)
    assert unpack_head(head.pack()) == head
    assert unpack_head(None) == LogHead()


@pytest.mark.parametrize("size", [0, 1, 2**16])
def test_values_of_any_size(tmp_path, size):
    log = PointLog(tmp_path)
    append(log, {START: b"x" * size})
    assert log.get(START) == b"x" * size


def test_entries_that_come_and_go_leave_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LITTLE_WASTE", 100_000)
    log, before = PointLog(tmp_path), {}
    for number in range(300):
        now = {START + b"%d-%d" % (number, key): b"x" for key in range(500)}
        append(log, {**dict.fromkeys(before), **now})
        log.tidy()
        before = now
    assert content(log) == before
    assert log.head.end < 400_000
    assert log.head.bits <= 14
