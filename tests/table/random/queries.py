"""Random queries that mean the same to Flink SQL and to DuckDB, over small tables with NULLs and equal rows.

Joins, aggregates, sub-queries, set operations, Top-N, OVER and windows of time. What the two see in another way is left
out: quotients, averages of integers, order without a key, fractions as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

TABLES = {"t": ("a", "b", "s"), "u": ("a", "c", "s"), "v": ("b", "c", "x")}
"""Columns: `s` is a string, `x` a decimal, all others are integers."""
EVENTS = ("k", "v", "ts")
STRINGS = ("", "a", "b", "ab", "B", "ä")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
MINUTE = 60_000_000


@dataclass(frozen=True)
class Query:
    """A query as each of the two writes it."""

    flott: str
    duckdb: str
    counting: str | None = None
    """For aggregates without GROUP BY: what counts their rows. In streaming mode, Flink gives nothing for none."""


def rows(draw: Random) -> dict[str, list[list]]:
    """Rows of all tables."""
    made = {
        name: [[cell(draw, column) for column in columns] for _ in range(draw.randint(0, 9))]
        for name, columns in TABLES.items()
    }
    minutes = sorted(draw.sample(range(120), 14))
    made["e"] = [
        [draw.choice((None, 1, 2)), draw.choice((None, *range(-3, 9))), f"2020-02-29 {one // 60:02}:{one % 60:02}:00"]
        for one in minutes
    ]
    return made


def cell(draw: Random, column: str) -> object:
    if draw.random() < 0.2:
        return None
    if column == "s":
        return draw.choice(STRINGS)
    return f"{draw.randint(-150, 150) / 100:.2f}" if column == "x" else draw.randint(-2, 4)


class Generator:
    """Draws one query."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.names = 0

    def query(self) -> Query:
        """Return a query of a random kind."""
        kind = self.draw.choice(
            (
                "rows",
                "rows",
                "groups",
                "groups",
                "whole",
                "sets",
                "sets",
                "nested",
                "nested_groups",
                "over",
                "window",
                "top",
            )
        )
        made = getattr(self, kind)()
        return made if isinstance(made, Query) else Query(made, made)

    # Parts

    def name(self) -> str:
        self.names += 1
        return f"r{self.names}"

    def source(self, joins: int) -> tuple[str, dict[str, list[str]]]:
        """Return a FROM clause, and the columns that can be used: integers, strings and decimals."""
        text, columns = self.relation()
        for _ in range(self.draw.randint(0, joins)):
            other, more = self.relation()
            pairs = [
                f"{one} = {two}"
                for kind in ("int", "string")
                for one in columns[kind] for two in more[kind]
            ]  # fmt: skip
            both = {kind: columns[kind] + more[kind] for kind in columns}
            how = self.draw.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
            on = self.draw.choice(pairs) if pairs else "TRUE"
            if pairs and how != "FULL JOIN" and self.draw.random() < 0.3:
                on += f" AND {self.comparison(both)}"
            text, columns = f"{text} {how if pairs else 'CROSS JOIN'} {other}{f' ON {on}' if pairs else ''}", both
        return text, columns

    def relation(self) -> tuple[str, dict[str, list[str]]]:
        alias = self.name()
        if self.draw.random() < 0.25:
            text, columns = self.derived()
        else:
            text = self.draw.choice(list(TABLES))
            columns = {"int": [], "string": [], "decimal": []}
            for column in TABLES[text]:
                columns["string" if column == "s" else "decimal" if column == "x" else "int"].append(column)
        return f"{text} AS {alias}", {kind: [f"{alias}.{one}" for one in names] for kind, names in columns.items()}

    def derived(self) -> tuple[str, dict[str, list[str]]]:
        name = self.draw.choice(list(TABLES))
        key, value = self.draw.sample([one for one in TABLES[name] if one != "x"], 2)
        kind = "string" if key == "s" else "int"
        columns: dict[str, list[str]] = {"int": ["n"], "string": [], "decimal": []}
        columns[kind] = [*columns[kind], "q"]
        how = self.draw.choice((f"COUNT({value})", f"COUNT(DISTINCT {value})", "COUNT(*)"))
        return f"(SELECT {key} AS q, {how} AS n FROM {name} GROUP BY {key})", columns

    def integer(self, columns: dict[str, list[str]], depth: int = 2) -> str:
        """Return an expression that gives an integer."""
        draw = self.draw
        if depth == 0 or draw.random() < 0.4:
            return draw.choice(columns["int"]) if columns["int"] and draw.random() < 0.8 else str(draw.randint(0, 4))
        one, other = self.integer(columns, depth - 1), self.integer(columns, depth - 1)
        return draw.choice((
            f"({one} + {other})", f"({one} - {other})", f"({one} * {other})", f"COALESCE({one}, {other})",
            f"CASE WHEN {self.comparison(columns, depth - 1)} THEN {one} ELSE {other} END", f"ABS({one})",
            f"NULLIF({one}, {other})", f"CASE WHEN {self.comparison(columns, depth - 1)} THEN {one} END",
        ))  # fmt: skip

    def string(self, columns: dict[str, list[str]]) -> str:
        draw = self.draw
        one = draw.choice(columns["string"]) if columns["string"] else f"'{draw.choice(STRINGS)}'"
        return draw.choice((one, one, f"UPPER({one})", f"({one} || 'z')", f"COALESCE({one}, '-')"))

    def comparison(self, columns: dict[str, list[str]], depth: int = 1) -> str:  # noqa: PLR0911 - a case a line
        draw = self.draw
        operator = draw.choice(COMPARISONS)
        choice = draw.randrange(8)
        if choice == 0 and columns["string"]:
            return f"{self.string(columns)} {operator} '{draw.choice(STRINGS)}'"
        if choice == 1 and columns["string"]:
            return f"{draw.choice(columns['string'])} LIKE '{draw.choice(('a%', '%b', '_', '%'))}'"
        if choice == 2 and columns["decimal"]:
            return f"{draw.choice(columns['decimal'])} {operator} {draw.randint(-100, 100) / 100:.2f}"
        if choice == 3:
            return f"{self.integer(columns, depth)} IS {draw.choice(('', 'NOT '))}NULL"
        if choice == 4:
            return f"{self.integer(columns, depth)} {draw.choice(('', 'NOT '))}IN ({draw.randint(-1, 2)}, 3)"
        if choice == 5:
            return f"{self.integer(columns, depth)} {draw.choice(('', 'NOT '))}BETWEEN -1 AND {draw.randint(0, 3)}"
        if choice == 6:
            return f"{self.integer(columns, depth)} IS DISTINCT FROM {self.integer(columns, depth)}"
        return f"{self.integer(columns, depth)} {operator} {self.integer(columns, depth)}"

    def condition(self, columns: dict[str, list[str]]) -> str:
        draw = self.draw
        one, other = self.comparison(columns), self.comparison(columns)
        return draw.choice((one, f"{one} AND {other}", f"({one} OR {other})", f"NOT ({one})"))

    def where(self, columns: dict[str, list[str]]) -> str:
        """Return a WHERE clause, sometimes with a sub-query, or nothing."""
        draw = self.draw
        choice = draw.randrange(6)
        if choice == 0:
            return ""
        if choice > 2 or not columns["int"]:
            return f" WHERE {self.condition(columns)}"
        inner, names = self.source(0)
        used = draw.choice(names["int"] or ["1"])
        outer = draw.choice(columns["int"])
        not_ = draw.choice(("", "NOT "))
        kept = draw.choice(("", f" WHERE {self.condition(names)}"))
        sub_query = draw.choice((
            f"{outer} {not_}IN (SELECT {used} FROM {inner}{kept})",
            f"{not_}EXISTS (SELECT 1 FROM {inner} WHERE {used} = {outer})",
            f"{outer} {draw.choice(COMPARISONS)} (SELECT MAX({used}) FROM {inner}{kept})",
            f"{outer} {draw.choice(COMPARISONS)} (SELECT COUNT(*) FROM {inner} WHERE {used} = {outer})",
        ))  # fmt: skip
        more = draw.choice(("", f" AND {self.condition(columns)}"))
        return f" WHERE {sub_query}{more}"

    def aggregates(self, columns: dict[str, list[str]]) -> list[str]:
        draw = self.draw
        every = [
            "COUNT(*)", *(f"{name}({self.integer(columns, 1)})" for name in ("COUNT", "SUM", "MIN", "MAX", "SUM", "COUNT")),
            f"COUNT(DISTINCT {self.integer(columns, 1)})", f"SUM(DISTINCT {self.integer(columns, 1)})",
            f"COUNT(*) FILTER (WHERE {self.comparison(columns)})", f"MIN({self.string(columns)})", f"MAX({self.string(columns)})",
            *(f"SUM({one})" for one in columns["decimal"]),
        ]  # fmt: skip
        return draw.sample(every, draw.randint(1, 3))

    # Kinds of queries

    def rows(self) -> str:
        text, columns = self.source(2)
        selected = [self.integer(columns) for _ in range(self.draw.randint(1, 2))] + [self.string(columns)]
        distinct = self.draw.choice(("", "", "DISTINCT "))
        return f"SELECT {distinct}{listed(selected)} FROM {text}{self.where(columns)}"

    def groups(self) -> str:
        text, columns = self.source(1)
        keys = self.draw.sample(columns["int"] + columns["string"], 1 if self.draw.random() < 0.6 else 2)
        having = self.draw.choice(("", "", f" HAVING COUNT(*) > {self.draw.randint(0, 2)}"))
        return (
            f"SELECT {listed([*keys, *self.aggregates(columns)])} FROM {text}{self.where(columns)} "
            f"GROUP BY {', '.join(keys)}{having}"
        )

    def whole(self) -> Query:
        text, columns = self.source(1)
        behind = f"FROM {text}{self.where(columns)}"
        made = f"SELECT {listed(self.aggregates(columns))} {behind}"
        return Query(made, made, f"SELECT COUNT(*) {behind}")

    def sets(self) -> str:
        draw = self.draw
        parts = []
        for _ in range(draw.randint(2, 3)):
            text, columns = self.source(0)
            parts.append(
                f"(SELECT {self.integer(columns, 1)} AS p, {self.string(columns)} AS q FROM {text}{self.where(columns)})"
            )
        made = parts[0]
        for part in parts[1:]:
            made = f"({made} {draw.choice(('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'))} {part})"
        return f"SELECT * FROM {made} AS w"

    def nested(self) -> str:
        alias = self.name()
        text, columns = self.source(1)
        inner = f"SELECT {self.integer(columns, 1)} AS p, {self.string(columns)} AS q FROM {text}{self.where(columns)}"
        outer = {"int": [f"{alias}.p"], "string": [f"{alias}.q"], "decimal": []}
        return (
            f"SELECT {listed([self.integer(outer), self.string(outer)])} FROM ({inner}) AS {alias}{self.where(outer)}"
        )

    def nested_groups(self) -> str:
        """Aggregates of aggregates: rows are taken back on the way."""
        inner = self.groups_of("n")
        alias = self.name()
        outer = {"int": [f"{alias}.n"], "string": [], "decimal": []}
        return (
            f"SELECT {alias}.n AS c0, {listed(self.aggregates(outer), 1)} FROM ({inner}) AS {alias} GROUP BY {alias}.n"
        )

    def groups_of(self, name: str) -> str:
        text, columns = self.source(1)
        key = self.draw.choice(columns["int"] + columns["string"])
        how = self.draw.choice(("COUNT(*)", f"MAX({self.integer(columns, 1)})", f"SUM({self.integer(columns, 1)})"))
        return f"SELECT {key} AS q, CAST({how} AS BIGINT) AS {name} FROM {text}{self.where(columns)} GROUP BY {key}"

    def over(self) -> str:
        draw = self.draw
        frame = draw.choice((
            "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
            f"RANGE BETWEEN INTERVAL '{draw.randint(5, 40)}' MINUTE PRECEDING AND CURRENT ROW",
        ))  # fmt: skip
        by = draw.choice(("PARTITION BY k ", ""))
        calls = draw.sample(("SUM(v)", "COUNT(v)", "MIN(v)", "MAX(v)", "COUNT(*)"), 2)
        return f"SELECT k, v, {', '.join(f'{call} OVER ({by}ORDER BY ts {frame}) AS c{place}' for place, call in enumerate(calls))} FROM e"

    def window(self) -> Query:
        draw = self.draw
        size = draw.choice((5, 10, 30))
        calls = listed(draw.sample(("SUM(v)", "COUNT(v)", "MIN(v)", "MAX(v)", "COUNT(*)", "COUNT(DISTINCT v)"), 2))
        kept = draw.choice(("", " WHERE v > 1", " WHERE k IS NOT NULL"))
        flott = (
            f"SELECT k, window_start AS w, {calls} FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '{size}' MINUTE))"
            f"{kept} GROUP BY k, window_start, window_end"
        )
        start = f"time_bucket(INTERVAL '{size} minutes', ts)"
        return Query(flott, f"SELECT k, {start} AS w, {calls} FROM e{kept} GROUP BY k, {start}")

    def top(self) -> str:
        order = self.draw.choice(("ASC", "DESC"))
        by = self.draw.choice(("k", "v"))
        limit = self.draw.randint(1, 3)
        return (
            f"SELECT k, v, n FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY {by} ORDER BY ts {order}) AS n FROM e) "
            f"WHERE n <= {limit}"
        )


def listed(expressions: list[str], first: int = 0) -> str:
    return ", ".join(f"{one} AS c{place}" for place, one in enumerate(expressions, first))
