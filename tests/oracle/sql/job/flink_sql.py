"""Runs programs of Flink SQL in one process: ``flink_sql.py questions answers``."""

from __future__ import annotations

import json
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from threading import Timer

from pyflink.common import Row
from pyflink.table import EnvironmentSettings, TableEnvironment

SECONDS = 120
"""How long a query may take."""


def main(questions: Path, answers: Path) -> None:
    told: dict[str, dict] = {}
    for program in json.loads(questions.read_text()):
        told |= run(program)
        # What is known by then, if there is no time for the rest.
        answers.write_text(json.dumps(told, default=str))


def run(program: dict) -> dict[str, dict]:
    """Run a program in an environment of its own; what is wrong with its tables is the answer to all its queries."""
    tables = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    options = {"parallelism.default": "1", "table.local-time-zone": "UTC", **program.get("options", {})}
    for key, value in options.items():
        tables.get_config().set(key, value)
    try:
        for statement in program["statements"]:
            tables.execute_sql(statement)
    except Exception as error:  # noqa: BLE001 - what Flink can't run is an answer
        wrong = {"error": text_of(error)}
        return {name: wrong for name in program["queries"]}  # noqa: C420 - one answer for all
    keys = program.get("keys", {})
    values = values_of(tables, program["expressions"]) if "expressions" in program else {}
    return values | {name: answer(tables, query, keys.get(name)) for name, query in program["queries"].items()}


def values_of(tables, texts: list[str]) -> dict[str, dict]:
    """Return what expressions give, many in one query; those of a query that fails are asked in halves."""
    told = answer(tables, f"SELECT {', '.join(f'{text} AS c{place}' for place, text in enumerate(texts))}", None)
    if "error" not in told:
        values = json.loads(told["rows"][0])
        return {text: {"rows": [json.dumps([value])]} for text, value in zip(texts, values, strict=True)}
    if len(texts) == 1:
        return {texts[0]: told}
    middle = len(texts) // 2
    return values_of(tables, texts[:middle]) | values_of(tables, texts[middle:])


def answer(tables, query: str, key: int | None) -> dict:
    try:
        result = tables.execute_sql(query)
        late = Timer(SECONDS, lambda: result.get_job_client().cancel())
        late.start()
        try:
            if query.startswith("INSERT"):
                result.wait()
                return {"rows": []}
            with result.collect() as changes:
                return {"rows": final_rows(changes) if key is None else last_rows(changes, key)}
        finally:
            late.cancel()
    except Exception as error:  # noqa: BLE001 - what Flink can't run is an answer
        return {"error": text_of(error)}


def text_of(error: Exception) -> str:
    """Return what went wrong: the last cause, without places in Java."""
    lines = [line.strip() for line in str(error).splitlines() if not line.strip().startswith(("at ", "..."))]
    return " ".join(line for line in lines if line)[-600:]


def final_rows(changes) -> list[str]:
    """Return the rows that all changes leave, as JSON, sorted."""
    left: Counter[str] = Counter()
    for change in changes:
        row = json.dumps([plain(value) for value in change])
        left[row] += 1 if change.get_row_kind().name in {"INSERT", "UPDATE_AFTER"} else -1
    return sorted((+left).elements())


def last_rows(changes, key: int) -> list[str]:
    """Return the last row of each key, as JSON, sorted."""
    rows = ([plain(value) for value in change] for change in changes)
    return sorted({tuple(row[:key]): json.dumps(row) for row in rows}.values())


def plain(value):
    if isinstance(value, (list, tuple, Row)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, Decimal):
        return format(value, "f")
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
