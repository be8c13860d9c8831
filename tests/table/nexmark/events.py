"""A seeded stream of persons, auctions and bids, after the rules of Nexmark's generator."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

BASE = dt.datetime(2024, 1, 1, 23, 59, 50)  # noqa: DTZ001 - in no time zone
STEP = dt.timedelta(milliseconds=20)
CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
TIME = pa.timestamp("us")
SCHEMAS = {
    "person": [("id", pa.int64()), ("name", pa.string()), ("city", pa.string()), ("state", pa.string()),
               ("dateTime", TIME)],
    "auction": [("id", pa.int64()), ("itemName", pa.string()), ("reserve", pa.int64()), ("dateTime", TIME),
                ("expires", TIME), ("seller", pa.int64()), ("category", pa.int64())],
    "bid": [("auction", pa.int64()), ("bidder", pa.int64()), ("price", pa.int64()), ("channel", pa.string()),
            ("url", pa.string()), ("dateTime", TIME), ("extra", pa.string())],
}  # fmt: skip


def event(number):
    """Person, auction or bid by the event's number, 1 : 3 : 46; the kind and its row."""
    chance = random.Random(number)
    epoch, offset = divmod(number, 50)
    at = BASE + number * STEP
    last_person, last_auction = epoch, epoch * 3 + (2 if offset > 3 else max(offset - 1, 0))
    price = round(10 ** (6 * chance.random()) * 100)
    if offset == 0:
        row = (1000 + last_person, f"name-{chance.randrange(99)}", f"city-{chance.randrange(10)}")
        return "person", (*row, chance.choice(STATES), at)
    if offset <= 3:
        expires = at + dt.timedelta(milliseconds=chance.randrange(1, 60_000))
        seller = 1000 + chance.randrange(max(0, last_person - 20), last_person + 2)
        item = (1000 + last_auction, f"item-{chance.randrange(99)}", price + 50, at, expires)
        return "auction", (*item, seller, 10 + chance.randrange(5))
    auction = 1000 + chance.randrange(max(0, last_auction - 20), last_auction + 2)
    bidder = 1000 + chance.randrange(max(0, last_person - 10), last_person + 2)
    if chance.random() < 0.5:
        channel, url = chance.choice(CHANNELS), "https://www.nexmark.com/a/b/c/item.htm?query=1"
    else:
        channel = f"channel-{chance.randrange(100)}"
        url = f"https://www.nexmark.com/{channel}/x/y/item.htm?query=1&channel_id={chance.randrange(1000)}"
    extra = "".join(chance.choices("abc", k=8))
    return "bid", (auction, bidder, price, channel, url, at, extra)


def events(count):
    """The rows of each kind among the first so many events."""
    made = {"person": [], "auction": [], "bid": []}
    for kind, row in map(event, range(count)):
        made[kind].append(row)
    return made


def tables(count):
    """The first so many events as a table per kind: its name and its rows."""
    for name, rows in events(count).items():
        columns = zip(*rows, strict=True)
        arrays = [pa.array(list(values), kind) for values, (_, kind) in zip(columns, SCHEMAS[name], strict=True)]
        yield name, pa.Table.from_arrays(arrays, names=[column for column, _ in SCHEMAS[name]])


def write(folder, count):
    """Write the events as a Parquet file per kind."""
    for name, table in tables(count):
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=500)


def write_csv(folder, count):
    """Write the events as a CSV file per kind, which any engine reads; times have milliseconds."""
    for name, table in tables(count):
        millis = [(column, pa.timestamp("ms") if kind == TIME else kind) for column, kind in SCHEMAS[name]]
        options = pa_csv.WriteOptions(include_header=False)
        pa_csv.write_csv(table.cast(pa.schema(millis)), folder / f"{name}.csv", options)


TABLES = {
    "person": "id BIGINT, name STRING, city STRING, state STRING, dateTime TIMESTAMP(3)",
    "auction": "id BIGINT, itemName STRING, reserve BIGINT, dateTime TIMESTAMP(3), expires TIMESTAMP(3), "
    "seller BIGINT, category BIGINT",
    "bid": "auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, dateTime TIMESTAMP(3), "
    "extra STRING",
}


def create_tables(t_env, folder):
    for name, columns in TABLES.items():
        t_env.execute_sql(
            f"CREATE TABLE {name} ({columns}, WATERMARK FOR dateTime AS dateTime - INTERVAL '4' SECOND) "
            f"WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{folder / name}.parquet')"
        )
