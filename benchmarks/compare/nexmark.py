"""Nexmark's queries, in SQL over files and as functions over generated events: those of benchmarks/nexmark.py."""

from __future__ import annotations

import sys
import tempfile
from functools import cache, lru_cache, partial
from hashlib import sha256
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1]
sys.path += [str(BENCHMARKS), str(BENCHMARKS / "programs")]

import nexmark_events  # noqa: E402
import nexmark_streams  # noqa: E402
import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import yaml  # noqa: E402
from benchmarks.compare.revisions import cache_folder, locked  # noqa: E402

from flott.common import WatermarkStrategy  # noqa: E402
from flott.datastream.connectors.datagen import DataGeneratorSource  # noqa: E402
from flott.datastream.connectors.discard import DiscardingSink  # noqa: E402
from flott.table import StreamTableEnvironment  # noqa: E402

FIELDS = {
    "person": ("id", "name", "city", "state", "dateTime"),
    "auction": ("id", "itemName", "dateTime", "expires", "seller", "category"),
    "bid": ("auction", "bidder", "price", "channel", "url", "dateTime", "extra"),
}
QUERIES = BENCHMARKS.parent / "tests" / "table" / "nexmark" / "queries.yaml"


@lru_cache(maxsize=1)
def events(count: int) -> dict[str, list[tuple]]:
    """Return the first events as the tuples that nexmark_streams expects; once per process."""
    numbers = np.arange(count, dtype=np.int64)
    rest = numbers % 50
    made = {
        "person": nexmark_events.persons(numbers[rest == 0]),
        "auction": nexmark_events.auctions(numbers[(rest > 0) & (rest < 4)]),
        "bid": nexmark_events.bids(numbers[rest >= 4]),
    }
    return {kind: tuples(made[kind].select(fields)) for kind, fields in FIELDS.items()}


def tuples(table: pa.Table) -> list[tuple]:
    columns = [
        column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column for column in table.itercolumns()
    ]
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def event(count: int, kind: str, number: int) -> tuple:
    return events(count)[kind][number]


def functions(query: str, env, records: int) -> None:
    """Build a query of nexmark_streams."""
    streams = [
        env.from_source(
            DataGeneratorSource(partial(event, records, kind), len(made)), WatermarkStrategy.no_watermarks(), kind
        )
        for kind, made in events(records).items()
    ]
    nexmark_streams.QUERIES[query](*streams).sink_to(DiscardingSink())


def files(count: int) -> Path:
    """Return a folder with the first events as CSV, written by whoever needs them first."""
    version = sha256(Path(nexmark_events.__file__).read_bytes()).hexdigest()[:8]
    folder = cache_folder() / "events" / f"{count}-{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.parent / "lock"):
        if not folder.exists():
            fresh = Path(tempfile.mkdtemp(dir=folder.parent)) / "csv"
            nexmark_events.write_events(fresh, count, "csv")
            fresh.rename(folder)
            fresh.parent.rmdir()
    return folder


@cache
def statements() -> dict[str, str]:
    return {name: query["flott"] for name, query in yaml.safe_load(QUERIES.read_text(encoding="utf-8")).items()}


def sql(query: str, env, records: int) -> None:
    """Run a query of tests/table/nexmark into nowhere."""
    tables = StreamTableEnvironment.create(env)
    nexmark_events.create_tables(tables.execute_sql, files(records), "csv")
    schema = tables.sql_query(statements()[query]).get_resolved_schema()
    pairs = zip(schema.get_column_names(), schema.get_column_data_types(), strict=True)
    columns = ", ".join(f"`{name}` {kind}" for name, kind in pairs)
    tables.execute_sql(f"CREATE TEMPORARY TABLE nothing ({columns}) WITH ('connector' = 'blackhole')")
    client = tables.execute_sql(f"INSERT INTO nothing {statements()[query]}").get_job_client()
    client.get_job_execution_result().result()
