"""Reads and runs SQL transcripts: tables with rows, a query, and the changes or the rows it ends with."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import yaml

from flott.table.final_rows import final_rows

FOLDER = Path(__file__).parent / "transcripts"


def cases():
    for path in sorted(FOLDER.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield f"{path.stem}: {case['name']}", case


def plain(value):
    """A value as a transcript writes it."""
    if isinstance(value, dt.datetime):
        text = value.strftime("%Y-%m-%d %H:%M:%S")
        return f"{text}.{value.microsecond // 1000:03d}" if value.microsecond else text
    if isinstance(value, (dt.date, dt.time, Decimal)):
        return str(value)
    return value


def create_tables(t_env, case, batch_size=1):
    for name, table in case.get("tables", {}).items():
        data = json.dumps(table["rows"], default=str).replace("'", "''")
        t_env.execute_sql(
            f"CREATE TABLE {name} ({table['columns']}) "
            f"WITH ('connector' = 'values', 'batch-size' = '{batch_size}', 'data' = '{data}')"
        )
    for statement in case.get("statements", []):
        t_env.execute_sql(statement)


def changes_of(t_env, query):
    with t_env.execute_sql(query).collect() as changes:
        return list(changes)


def written(changes):
    return [[str(row.get_row_kind()), *map(plain, row)] for row in changes]


def sorted_rows(rows):
    return sorted(([plain(value) for value in row] for row in rows), key=repr)


def check(t_env, case, *, exact=True, batch_size=1):
    create_tables(t_env, case, batch_size)
    found = changes_of(t_env, case["query"])
    if exact and "changes" in case:
        assert written(found) == case["changes"]
    wanted = case["rows"] if "rows" in case else final_of(case["changes"])
    assert sorted_rows(final_rows(found)) == sorted_rows(wanted)


def final_of(changes):
    left = []
    for kind, *row in changes:
        if kind in {"+I", "+U"}:
            left.append(row)
        else:
            left.remove(row)
    return left
