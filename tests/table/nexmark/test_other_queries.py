"""The queries of Nexmark whose results are no table: q10 writes files, q12 goes by the clock."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flott.table.physical.translate import Translator
from flott.table.rules.optimise import optimise
from flott.table.runtime.changes import pack
from flott.testing.harness import KeyedOneInputOperatorHarness

pytestmark = pytest.mark.job

duckdb = pytest.importorskip("duckdb")
HERE = Path(__file__).parent
EVENTS = 2000

spec = importlib.util.spec_from_file_location("events", HERE / "events.py")
events = importlib.util.module_from_spec(spec)
spec.loader.exec_module(events)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("nexmark")
    events.write(path, EVENTS)
    return path


def test_q10_bids_in_files_by_day_and_minute(folder, environment, tmp_path):
    t_env = environment(parallelism=2)
    events.create_tables(t_env, folder)
    t_env.execute_sql(
        "CREATE TABLE fs_sink (auction BIGINT, bidder BIGINT, price BIGINT, dateTime TIMESTAMP(3), extra STRING, "
        "dt STRING, hm STRING) PARTITIONED BY (dt, hm) "
        f"WITH ('connector' = 'filesystem', 'format' = 'parquet', 'path' = '{tmp_path}/out')"
    )
    t_env.execute_sql(
        "INSERT INTO fs_sink SELECT auction, bidder, price, dateTime, extra, DATE_FORMAT(dateTime, 'yyyy-MM-dd'), "
        "DATE_FORMAT(dateTime, 'HH:mm') FROM bid"
    ).wait()
    with duckdb.connect() as duck:
        columns = "auction, bidder, price, dateTime, extra"
        places = "strftime(dateTime, '%Y-%m-%d') || '/' || strftime(dateTime, '%H:%M')"
        wanted = duck.sql(f"SELECT {columns}, {places} FROM '{folder}/bid.parquet'").fetchall()  # noqa: S608 - SQL of this test
    found = []
    for file in sorted((tmp_path / "out").rglob("*.parquet")):
        day, minute = (unquote(part.partition("=")[2]) for part in file.parent.relative_to(tmp_path / "out").parts)
        rows = pq.ParquetFile(file).read().select(columns.split(", ")).to_pylist()
        found += [(*row.values(), f"{day}/{minute}") for row in rows]
    assert len({row[-1] for row in wanted}) > 1
    assert sorted(found) == sorted(wanted)
    with t_env.execute_sql(
        "SELECT auction, bidder, price, dateTime, extra, dt || '/' || hm FROM fs_sink"
    ).collect() as rows:
        assert sorted(map(tuple, rows)) == sorted(wanted)


def steps_of(step):
    yield step
    for below in step.inputs:
        yield from steps_of(below)


def test_q12_bids_per_bidder_in_windows_of_processing_time(folder, t_env):
    events.create_tables(t_env, folder)
    t_env.execute_sql("CREATE VIEW timed AS SELECT *, PROCTIME() AS p_time FROM bid")
    table = t_env.sql_query(
        "SELECT bidder, COUNT(*) AS bid_count, window_start, window_end FROM TABLE(TUMBLE("
        "TABLE timed, DESCRIPTOR(p_time), INTERVAL '10' SECOND)) GROUP BY bidder, window_start, window_end"
    )
    plan = Translator(t_env.planner.settings()).translate(*optimise(table.plan))
    (windows,) = [step for step in steps_of(plan) if step.name == "WindowAggregate"]
    bidders = pq.read_table(folder / "bid.parquet")["bidder"].to_pylist()
    pieces = {1_000: bidders[:500], 9_000: bidders[500:900], 12_000: bidders[900:]}
    with KeyedOneInputOperatorHarness(windows.operator()) as harness:
        for now, some in pieces.items():
            harness.set_processing_time(now)
            harness.operator.process(pack([pa.array(some)], None))
        harness.set_processing_time(30_000)
        found = {(row[0], row[1].second): row[3] for row in harness.extract_output_values()}
    wanted = {(bidder, 0): count for bidder, count in Counter(bidders[:900]).items()}
    wanted |= {(bidder, 10): count for bidder, count in Counter(bidders[900:]).items()}
    assert found == wanted
