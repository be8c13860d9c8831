"""The MATCH_RECOGNIZE queries of Nexmark find what a plain search over the rows of each partition finds."""

from __future__ import annotations

import datetime as dt
from itertools import groupby
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import yaml
from tests.table.nexmark import events

pytestmark = pytest.mark.job

HERE = Path(__file__).parent
QUERIES = yaml.safe_load((HERE / "match_queries.yaml").read_text(encoding="utf-8"))
EVENTS = 2000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Bids of few bidders on few auctions, so that each pair has many, as hot ones have."""
    path = tmp_path_factory.mktemp("nexmark")
    events.write(path, EVENTS)
    bids = pq.read_table(path / "bid.parquet")
    for name, few in (("auction", 5), ("bidder", 3)):
        folded = pc.subtract(bids[name], pc.multiply(pc.divide(bids[name], few), few))
        bids = bids.set_column(bids.schema.get_field_index(name), name, folded)
    pq.write_table(bids, path / "bid.parquet", row_group_size=300)
    return path


def partitions(folder):
    rows = pq.read_table(folder / "bid.parquet", columns=["auction", "bidder", "dateTime", "price"]).to_pylist()
    rows.sort(key=lambda row: (row["auction"], row["bidder"], row["dateTime"]))
    for key, some in groupby(rows, key=lambda row: (row["auction"], row["bidder"])):
        yield key, list(some)


def falls_and_rises(rows, start, within):
    """The match that starts with a row: how many rows fall, if the one behind them rises."""
    last = start
    while last + 1 < len(rows) and rows[last + 1]["price"] < rows[last]["price"]:
        last += 1
    end = last + 1
    if last == start or end == len(rows) or not rows[end]["price"] > rows[last]["price"]:
        return None
    if within is not None and rows[end]["dateTime"] - rows[start]["dateTime"] >= dt.timedelta(seconds=within):
        return None
    return last, end


def searched(query, rows):
    start, within = 0, query.get("within")
    while start < len(rows):
        found = falls_and_rises(rows, start, within)
        if found is None:
            start += 1
            continue
        last, end = found
        yield rows[start]["price"], rows[last]["price"], rows[end]["price"], last - start
        start = {"past": end + 1, "next": start + 1, "bottom": last}[query["skip"]]


def averaged(query, rows):
    start = 0
    while start < len(rows):
        total, end = 0, start
        while end < len(rows) and (total + rows[end]["price"]) // (end - start + 1) < query["average"]:
            total += rows[end]["price"]
            end += 1
        if end == start:
            start += 1
            continue
        if end == len(rows):
            return  # A match that started here could still come, so none that starts later is told.
        yield end - start, total // (end - start), rows[end]["price"]
        start = end + 1


@pytest.mark.parametrize("name", QUERIES)
def test_finds_the_same_matches(name, folder, environment):
    t_env = environment(parallelism=2)
    events.create_tables(t_env, folder)
    with t_env.execute_sql(QUERIES[name]["sql"]).collect() as changes:
        found = sorted(tuple(row) for row in changes)
    search = averaged if "average" in QUERIES[name] else searched
    wanted = sorted((*key, *match) for key, rows in partitions(folder) for match in search(QUERIES[name], rows))
    assert len(wanted) > 10
    assert found == wanted
