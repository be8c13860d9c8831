"""Nexmark's persons, auctions and bids as files: the same numbers, the same rows, many at once.

The rules are those of Nexmark's generator (1 : 3 : 46, hot sellers, auctions and bidders, prices over six orders of
magnitude, 10,000 events a second); what is drawn is a hash of the event's number, so that files of any size begin
alike.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

RATE = 10_000
BASE = 1_704_067_200_000
"""Milliseconds: 2024-01-01."""
FIRST, LEAD, HOT, IN_FLIGHT, ACTIVE = 1000, 10, 100, 100, 1000
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
CITIES = (
    "Phoenix",
    "Los Angeles",
    "San Francisco",
    "Boise",
    "Portland",
    "Bend",
    "Redmond",
    "Seattle",
    "Kent",
    "Cheyenne",
)
NAMES = ("Peter", "Paul", "Luke", "John", "Saul", "Vicky", "Kate", "Julie", "Sarah", "Deiter", "Walter")
CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz ", np.uint8)
TABLES = {
    "person": "id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, "
    "`dateTime` TIMESTAMP(3), extra STRING",
    "auction": "id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, "
    "`dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), "
    "extra STRING",
}


class Chance:
    """Numbers that look random and depend on nothing but the event's number and what they are for."""

    def __init__(self, events: np.ndarray) -> None:
        self._events = events.astype(np.uint64)
        self._drawn = 0

    def bits(self) -> np.ndarray:
        self._drawn += 1
        with np.errstate(over="ignore"):
            mixed = (self._events + np.uint64(self._drawn * 0x51_7C_C1)) * np.uint64(0x9E37_79B9_7F4A_7C15)
            mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
        return mixed ^ (mixed >> np.uint64(31))

    def part(self) -> np.ndarray:
        """Between 0 and 1."""
        return (self.bits() >> np.uint64(11)) / 2**53

    def below(self, bound) -> np.ndarray:
        return (self.part() * bound).astype(np.int64)

    def one_of(self, words) -> pa.Array:
        return pa.array(list(words)).take(pa.array(self.below(len(words))))

    def text(self, length: int) -> pa.Array:
        """Letters and spaces, all of one length."""
        drawn = [self.bits() for _ in range(-(-length // 8))]
        places = np.stack(drawn, axis=1).view(np.uint8)[:, :length] % len(LETTERS)
        letters = np.ascontiguousarray(LETTERS[places])
        offsets = pa.py_buffer(np.arange(0, letters.size + 1, length, dtype=np.int32))
        return pa.StringArray.from_buffers(len(letters), offsets, pa.py_buffer(letters))


def joined(*parts) -> pa.Array:
    return pc.binary_join_element_wise(*(part if isinstance(part, pa.Array) else pa.scalar(part) for part in parts), "")


def texts(numbers: np.ndarray) -> pa.Array:
    return pa.array(numbers).cast(pa.string())


def stamps(millis: np.ndarray) -> pa.Array:
    return pa.array(millis, pa.timestamp("ms"))


def price(chance: Chance) -> np.ndarray:
    return np.round(10 ** (6 * chance.part()) * 100).astype(np.int64)


def somebody(chance: Chance, last: np.ndarray, hot: int) -> np.ndarray:
    """The hot person of the current hundred three times of four, else one of those that came last."""
    active = np.minimum(last + 1, ACTIVE)
    cold = last - active + 1 + chance.below(active + LEAD)
    return FIRST + np.where(chance.part() < 0.75, last // HOT * HOT + hot, np.maximum(cold, 0))


def persons(events: np.ndarray) -> pa.Table:
    chance = Chance(events)
    first, last = chance.one_of(NAMES), chance.text(7)
    card = joined(*(part for _ in range(4) for part in (texts(1000 + chance.below(9000)), " ")))
    return pa.table({
        "id": FIRST + events // 50, "name": joined(first, " ", last), "emailAddress": joined(first, "@", last, ".com"),
        "creditCard": card, "city": chance.one_of(CITIES), "state": chance.one_of(STATES),
        "dateTime": stamps(BASE + events * 1000 // RATE), "extra": chance.text(100),
    })  # fmt: skip


def auctions(events: np.ndarray) -> pa.Table:
    chance = Chance(events)
    at = BASE + events * 1000 // RATE
    horizon = max(1, IN_FLIGHT * 50 // 3 * 1000 // RATE)
    bid = price(chance)
    return pa.table({
        "id": FIRST + events // 50 * 3 + events % 50 - 1, "itemName": chance.text(12), "description": chance.text(50),
        "initialBid": bid, "reserve": bid + price(chance), "dateTime": stamps(at),
        "expires": stamps(at + 1 + chance.below(2 * horizon)), "seller": somebody(chance, events // 50, 0),
        "category": 10 + chance.below(5), "extra": chance.text(150),
    })  # fmt: skip


def bids(events: np.ndarray) -> pa.Table:
    chance = Chance(events)
    last = events // 50 * 3 + 2
    oldest = np.maximum(last - IN_FLIGHT, 0)
    cold = oldest + chance.below(last - oldest + 1 + LEAD)
    number = chance.below(10_000)
    page = texts(number // 7)
    url = joined("https://www.nexmark.com/", page, "/", texts(number // 3), "/x/item.htm?query=1")
    url = pc.if_else(pa.array(number % 10 > 0), joined(url, "&channel_id=", texts(number * 7919)), url)
    hot = pa.array(chance.part() < 0.5)
    names = chance.one_of(CHANNELS)
    return pa.table({
        "auction": FIRST + np.where(chance.part() < 0.5, last // HOT * HOT, cold),
        "bidder": somebody(chance, events // 50, 1), "price": price(chance),
        "channel": pc.if_else(hot, names, joined("channel-", texts(number))),
        "url": pc.if_else(hot, joined("https://www.nexmark.com/", names, "/a/b/item.htm?query=1"), url),
        "dateTime": stamps(BASE + events * 1000 // RATE), "extra": chance.text(24),
    })  # fmt: skip


def write_events(folder: Path, count: int, form: str, *, with_bids: bool = True) -> None:
    """Write the first so many events: a directory per kind, with one file in it, or none for bids if without them."""
    numbers = np.arange(count, dtype=np.int64)
    rest = numbers % 50
    made = {"person": persons(numbers[rest == 0]), "auction": auctions(numbers[(rest > 0) & (rest < 4)])}
    if with_bids:
        made["bid"] = bids(numbers[rest >= 4])
    for name in TABLES:
        (folder / name).mkdir(parents=True)
    for name, table in made.items():
        path = folder / name / f"part-0.{form}"
        if form == "csv":
            options = pa_csv.WriteOptions(include_header=False, quoting_style="needed")
            pa_csv.write_csv(table, path, options)
        else:
            path.write_text("\n".join(json_lines(table)) + "\n", encoding="utf-8")


def json_lines(table: pa.Table) -> list[str]:
    """Each row as an object; no text of ours has anything in it that JSON would escape."""
    parts = ["{"]
    for name in table.column_names:
        column = table[name].combine_chunks()
        quote = "" if pa.types.is_integer(column.type) else '"'
        parts += [f'{", " if len(parts) > 1 else ""}"{name}": {quote}', column.cast(pa.string()), quote]
    return joined(*parts, "}").to_pylist()


def create_tables(execute_sql, folder: Path, form: str) -> None:
    """Make the three tables over the files, on either engine."""
    for name, columns in TABLES.items():
        execute_sql(f"DROP TEMPORARY TABLE IF EXISTS {name}")
        execute_sql(
            f"CREATE TEMPORARY TABLE {name} ({columns}, WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND) "
            f"WITH ('connector' = 'filesystem', 'format' = '{form}', 'path' = 'file://{folder / name}')"
        )
