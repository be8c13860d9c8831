"""Nexmark's SQL over the same CSV files on Flink SQL: the same rows at the end, for all queries that Flink can run."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
import yaml
from tests.oracle.sql.flink import ask
from tests.table.conftest import table_environment
from tests.table.nexmark import events

from flott.table.final_rows import final_rows

pytestmark = pytest.mark.oracle

NEXMARK = Path(events.__file__).parent
EVENTS = 2000
TIME = re.compile(r"(?<!`)\bdateTime\b")
COUNT_CHAR = ("count_char(extra, 'c')", "CHAR_LENGTH(extra) - CHAR_LENGTH(REPLACE(extra, 'c', ''))")
"""A user's function; both compute the same with functions of SQL."""
FEW = ("FROM bid MATCH", "FROM few_bids MATCH")
"""Patterns are looked for among bids of few bidders on few auctions, so that each pair has many."""
Q10 = (
    "INSERT INTO by_minute SELECT auction, bidder, price, dateTime, extra, DATE_FORMAT(dateTime, 'yyyy-MM-dd'), "
    "DATE_FORMAT(dateTime, 'HH:mm') FROM bid"
)
REFUSED = {"q13": "files can't be looked up in Flink: only tables that other services keep"}
"""Queries that Flink does not run over these tables, and why. q12 goes by the clock: no two runs are alike."""
WRONG = {"q6": "Flink takes the best bid of each auction for a row that never changes, and counts those outbid as well"}
"""Queries whose rows are others on Flink, and why; DuckDB gives the same rows as Flott (tests/table/nexmark)."""
BY_KEY = {"q9": 1}
"""Queries of which Flink tells each new row without taking back the old one: so many columns are the key."""


def queries():
    """The queries as Flink reads them: to it dateTime is a word of SQL."""
    written = {name: one["flott"] for name, one in read("queries.yaml").items()} | {"q10": Q10}
    written |= {name: one["sql"] for name, one in read("match_queries.yaml").items()}
    return {name: as_flink_reads(text.replace(*COUNT_CHAR).replace(*FEW)) for name, text in written.items()}


def read(file):
    return yaml.safe_load((NEXMARK / file).read_text(encoding="utf-8"))


def as_flink_reads(text):
    return TIME.sub("`dateTime`", text)


def statements(folder, out):
    def files(path):
        return f"WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = 'file://{path}')"

    for name, columns in events.TABLES.items():
        watermark = "WATERMARK FOR dateTime AS dateTime - INTERVAL '4' SECOND"
        yield as_flink_reads(f"CREATE TABLE {name} ({columns}, {watermark}) {files(folder / f'{name}.csv')}")
    yield f"CREATE TABLE side_input (`key` BIGINT, `value` STRING) {files(folder / 'side_input.csv')}"
    yield as_flink_reads(
        "CREATE TABLE by_minute (auction BIGINT, bidder BIGINT, price BIGINT, dateTime TIMESTAMP(3), extra STRING, "
        f"`day` STRING, `minute` STRING) PARTITIONED BY (`day`, `minute`) {files(out)}"
    )
    yield as_flink_reads(
        "CREATE VIEW few_bids AS SELECT MOD(auction, 5) AS auction, MOD(bidder, 3) AS bidder, price, dateTime FROM bid"
    )


def theirs(folder):
    """What Flink answers."""
    out = folder / "flink"
    program = {"statements": list(statements(folder, out)), "queries": queries(), "keys": BY_KEY}
    return ask(folder, [program]) | {"q10": {"rows": in_files(out)}}


def ours(folder, name):
    t_env = table_environment()
    out = folder / "flott"
    for statement in statements(folder, out):
        t_env.execute_sql(statement)
    result = t_env.execute_sql(queries()[name])
    if name == "q10":
        result.wait()
        return in_files(out)
    with result.collect() as changes:
        return sorted(json.dumps([plain(value) for value in row]) for row in final_rows(changes))


def plain(value):
    if isinstance(value, Decimal):
        return format(value, "f")
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def in_files(folder):
    """The rows of CSV files, each with the directory it is in."""
    return sorted(
        json.dumps([*row, path.parent.relative_to(folder).as_posix()])
        for path in folder.rglob("*")
        if path.is_file()
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines())
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("nexmark")
    events.write_csv(path, EVENTS)
    (path / "side_input.csv").write_text("".join(f"{number},{number}\n" for number in range(60)))
    return path


@pytest.fixture(scope="module")
def flink(folder):
    return theirs(folder)


@pytest.mark.parametrize("name", [name for name in queries() if name not in REFUSED | WRONG])
def test_the_same_rows(name, folder, flink):
    assert "error" not in flink[name], flink[name]["error"][:1000]
    wanted, found = Counter(flink[name]["rows"]), Counter(ours(folder, name))
    assert wanted
    only_here, only_there = found - wanted, wanted - found
    assert not only_here
    assert not only_there


@pytest.mark.parametrize("name", REFUSED)
def test_flink_refuses(name, flink):
    assert "error" in flink[name]


@pytest.mark.parametrize("name", WRONG)
def test_flink_is_wrong(name, folder, flink):
    assert flink[name]["rows"] != ours(folder, name)
