"""SQL transcripts on Flink SQL: the rows that they end with are what Flink ends with."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from tests.oracle.sql.flink import ask
from tests.table import transcript
from tests.table.conftest import table_environment

from flott.common.types import RowKind
from flott.table.types import LocalZonedTimestampType

pytestmark = pytest.mark.oracle

KINDS = {str(kind) for kind in RowKind}
DIFFERENT = yaml.safe_load(Path(__file__).with_name("differences.yaml").read_text(encoding="utf-8"))
"""Transcripts and expressions that Flink sees in another way, or can't run, and why."""
EXPRESSIONS = yaml.safe_load((transcript.FOLDER.parent / "expressions.yaml").read_text(encoding="utf-8"))
RESERVED = re.compile(r"(?<![`'\w])(at|one|next|none|matches|day|value|values|second|year|month|row|rows)(?![`'\w(])")
"""Names in transcripts that are words of SQL to Flink; words of SQL are in capital letters there."""
MICROS = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}")


def as_files(case, name, folder):
    """The table of a transcript over a file of JSON that has its rows; None if rows are updated or deleted."""
    table = case["tables"][name]
    t_env = table_environment()
    create = "CREATE TABLE `{}` ({}) WITH ('connector' = '{}', 'data' = '[]')"
    t_env.execute_sql(create.format(name, table["columns"], "values"))
    stored = t_env.manager.find(t_env.manager.identify((name,))).schema.stored()
    if any(len(row) == len(stored) + 1 and row[0] in KINDS for row in table["rows"]):
        return None
    lines = []
    for row in table["rows"]:
        moments = [isinstance(column.type, LocalZonedTimestampType) for column in stored]
        cells = [f"{cell}Z" if moment and cell is not None else cell for cell, moment in zip(row, moments, strict=True)]
        lines.append(json.dumps(dict(zip((column.name for column in stored), cells, strict=True)), default=str))
    path = folder / f"{name}.json"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = f"WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = 'file://{path}')"
    return f"CREATE TABLE `{name}` ({as_flink_reads(table['columns'])}) {files}"


def as_flink_reads(text):
    return RESERVED.sub(r"`\1`", text)


def program_of(name, case, folder):
    """A transcript as a program of Flink's; None if it can't be one."""
    folder.mkdir()
    tables = [as_files(case, table, folder) for table in case.get("tables", {})]
    if None in tables:
        return None
    options = {key.replace("__", ".").replace("_", "-"): value for key, value in case.get("options", {}).items()}
    if "table.exec.mini-batch.enabled" in options:
        # Flink wants to know how long a batch may wait.
        options = {"table.exec.mini-batch.allow-latency": "1 s", "table.exec.mini-batch.size": "100", **options}
    statements = tables + [as_flink_reads(one) for one in case.get("statements", [])]
    return {"statements": statements, "queries": {name: as_flink_reads(case["query"])}, "options": options}


CASES = {name: case for name, case in transcript.cases() if "error" not in case and not case.get("in_order")}


@pytest.fixture(scope="module")
def flink(tmp_path_factory):
    folder = tmp_path_factory.mktemp("transcripts")
    programs = [program_of(name, case, folder / str(number)) for number, (name, case) in enumerate(CASES.items())]
    programs.append({"statements": [], "queries": {}, "expressions": [text for text, _ in EXPRESSIONS]})
    return ask(folder, [program for program in programs if program is not None])


def normal(row):
    return json.dumps([cell[:-3] if isinstance(cell, str) and MICROS.fullmatch(cell) else cell for cell in row])


def rows_of(answer):
    return Counter(normal(json.loads(row)) for row in answer["rows"])


def test_transcripts_end_in_the_same_rows(flink):
    wrong = {}
    for name, case in CASES.items():
        if name not in flink or name in DIFFERENT:
            continue
        wanted = Counter(
            normal(row) for row in (case["rows"] if "rows" in case else transcript.final_of(case["changes"]))
        )
        found = flink[name].get("error") or rows_of(flink[name])
        if found != wanted:
            wrong[name] = (found, wanted)
    assert not wrong, "\n".join(
        f"{name}:\n   Flink {found}\n   Flott {wanted}" for name, (found, wanted) in wrong.items()
    )
    assert sum(name in flink for name in CASES) > 150


def test_expressions_give_the_same(flink):
    wrong = {}
    for text, wanted in EXPRESSIONS:
        found = flink[text].get("error") or rows_of(flink[text])
        if text not in DIFFERENT and found != Counter([normal([wanted])]):
            wrong[text] = (found, wanted)
    assert not wrong, "\n".join(
        f"{text}:\n   Flink {found}\n   Flott {wanted}" for text, (found, wanted) in wrong.items()
    )
