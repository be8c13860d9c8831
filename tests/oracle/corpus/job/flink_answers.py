"""Answers the questions of the corpus with Flink SQL, in one process: ``flink_answers.py questions answers``.

All values are cast to STRING, and all rows of a query come back as one: each value that PyFlink fetches costs several
calls from Python to Java.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from pyflink.java_gateway import get_gateway
from pyflink.table import EnvironmentSettings, TableEnvironment

TOGETHER = 90
"""Expressions in one query."""
MAY_FAIL = re.compile(r"[/%] b$|^MOD\(a, b|^TO_TIMESTAMP\(a, b|^DATE_FORMAT\(a, b|^REGEXP\w*\(a, b")
"""What is asked alone, since one row that fails would take the answers of others with it."""
WORDS = 120
"""Letters of an error that are kept."""


def main(asked: Path, told: Path) -> None:
    """Answer one table of questions after the other."""
    tables = environment()
    with told.open("w", encoding="utf-8") as answers:
        for number, table in enumerate(json.loads(asked.read_text())):
            for answer in Answers(tables, table, f"t{number}").all():
                answers.write(json.dumps(answer) + "\n")
            answers.flush()


def environment() -> TableEnvironment:
    """Return an environment whose queries share a cluster; each would start one of its own, which takes longest."""
    tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    flink = get_gateway().jvm.org.apache.flink
    options = flink.configuration.Configuration()
    options.setString("rest.bind-port", "0")
    options.setString("rest.address", "localhost")
    builder = getattr(flink.runtime.minicluster, "MiniClusterConfiguration$Builder")()
    cluster = flink.runtime.minicluster.MiniCluster(
        builder.setNumTaskManagers(1).setNumSlotsPerTaskManager(4).setConfiguration(options).build()
    )
    cluster.start()
    address = cluster.getRestAddress().get()
    for key, value in {
        "execution.target": "remote",
        "rest.address": address.getHost(),
        "rest.port": str(address.getPort()),
    }.items():
        tables.get_config().set(key, value)
    return tables


class Answers:
    """The answers to all questions about the same columns."""

    def __init__(self, tables: TableEnvironment, table: dict, name: str) -> None:
        self.tables, self.name = tables, name
        self.texts, self.rows = table["texts"], table["rows"]
        for key, value in {"parallelism.default": "1", "table.local-time-zone": table["zone"]}.items():
            tables.get_config().set(key, value)
        columns = "".join(f", `{column}` {kind}" for column, kind in table["columns"])
        tables.execute_sql(
            f"CREATE TEMPORARY TABLE {name} (`id` INT{columns}) WITH ('connector' = 'filesystem', 'format' = 'json', "
            f"'path' = '{table['path']}', 'json.timestamp-format.standard' = 'SQL')"
        )

    def all(self) -> list[list]:
        """Return an expression, its type and a string a row; or what is wrong with it."""
        refused = {text: wrong for text in self.texts if (wrong := self.refusal(text)) is not None}
        known = [text for text in self.texts if text not in refused]
        calm = [text for text in known if not MAY_FAIL.search(text)]
        told: dict[str, list] = {}
        for first in range(0, len(calm), TOGETHER):
            told |= self.values(calm[first : first + TOGETHER])
        for text in known:
            if text not in told:
                told |= self.values([text])
        return [[text, *told[text]] if text in told else [text, None, refused[text]] for text in self.texts]

    def refusal(self, text: str) -> str | None:
        """Return why Flink refuses an expression."""
        try:
            self.tables._j_tenv.sqlQuery(f"SELECT {text} AS v FROM {self.name}")  # noqa: S608 - one call of Java
        except Exception as error:  # noqa: BLE001 - what Flink refuses is an answer
            return words_of(error)
        return None

    def values(self, texts: list[str]) -> dict[str, list]:
        """Return types and values; of expressions that fail together in halves, of a single one row by row."""
        found = self.ask(texts, "")
        if isinstance(found, list):
            return {
                text: [found[0][place + 1], [row[place + 1] for row in found[1:]]] for place, text in enumerate(texts)
            }
        if len(texts) > 1:
            middle = len(texts) // 2
            return self.values(texts[:middle]) | self.values(texts[middle:])
        if "compile" in found:
            return {texts[0]: ["", [{"error": found}] * self.rows]}
        parts = self.parts(texts[0], 0, self.rows)
        kinds = [part[0][1] for part in parts if isinstance(part, list)]
        values = [row[1] if isinstance(row, list) else row for part in parts for row in rows_of(part)]
        return {texts[0]: [kinds[0] if kinds else "", values]}

    def parts(self, text: str, start: int, end: int) -> list:
        """Return the answers of ranges of rows; a range that fails is halved until one row is left."""
        if end - start < self.rows:
            found = self.ask([text], f" WHERE `id` >= {start} AND `id` < {end}")
            if isinstance(found, list):
                return [found]
            if end - start == 1:
                return [{"error": found}]
        middle = (start + end) // 2
        return self.parts(text, start, middle) + self.parts(text, middle, end)

    def ask(self, texts: list[str], condition: str) -> list | str:
        """Return the types as a first row, then a row of strings for each of the table."""
        kinds = ", ".join(f"TYPEOF({text})" for text in texts)
        strings = ", ".join(f"CAST({text} AS STRING)" for text in texts)
        query = (
            f"SELECT MAX(k), LISTAGG(j, '\n') FROM (SELECT JSON_ARRAY(-1, {kinds} NULL ON NULL) AS k, "  # noqa: S608
            f"JSON_ARRAY(`id`, {strings} NULL ON NULL) AS j FROM {self.name}{condition})"
        )
        try:
            with self.tables.execute_sql(query).collect() as rows:
                kinds, lines = next(iter(rows))
        except Exception as error:  # noqa: BLE001 - what Flink can't run is an answer
            sys.stderr.write(f"{len(texts)} {texts[0]} {condition} {words_of(error)}\n")
            return words_of(error)
        return [json.loads(kinds), *sorted(map(json.loads, lines.split("\n")), key=lambda row: row[0])]


def rows_of(part: list | dict) -> list:
    """Return the rows of an answer; an error stands for one row."""
    return part[1:] if isinstance(part, list) else [part]


def words_of(error: Exception) -> str:
    """Return the last cause."""
    lines = [line.strip() for line in str(error).splitlines()]
    if any("cannot be compiled" in line for line in lines):
        return "the code that Flink generates can't be compiled"
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")] or lines
    return causes[-1][:WORDS] if causes else type(error).__name__


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
