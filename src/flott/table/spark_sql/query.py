"""A logical plan as one query of Spark SQL: each node a named part of it, with the columns c0, c1 and so on."""

# ruff: noqa: S608 - the parts are our own; constants are escaped in constants.py

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flott.table.plan import nodes as n
from flott.table.plan.expand import Expand
from flott.table.plan.over import OverAggregate
from flott.table.plan.set_operation import SetOperation
from flott.table.spark_sql.aggregates import aggregate, over
from flott.table.spark_sql.expressions import spark_expression
from flott.table.spark_sql.sources import GivenRows, given_rows
from flott.table.spark_sql.spark_types import UntranslatableError, spark_type
from flott.table.spark_sql.windows import windows

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.spark_sql.sources import SparkSource

JOINS = {
    "INNER": "JOIN", "LEFT": "LEFT JOIN", "RIGHT": "RIGHT JOIN", "FULL": "FULL JOIN", "SEMI": "LEFT SEMI JOIN",
    "ANTI": "LEFT ANTI JOIN",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SparkQuery:
    """A query of Spark SQL and the tables it is over, by their names in it."""

    text: str
    sources: dict[str, SparkSource]


def spark_query(node: n.Node, connectors: Any, zone: str) -> SparkQuery:
    """Return a plan as a query of Spark SQL; UntranslatableError says why it can't be one."""
    writer = _Writer(connectors, zone)
    last = writer.part(node)
    parts = ",\n  ".join(f"{name} AS ({text})" for name, text in writer.parts.items())
    return SparkQuery(f"WITH\n  {parts}\nSELECT * FROM {last}", writer.sources)


@dataclass(slots=True)
class _Writer:
    connectors: Any
    zone: str
    parts: dict[str, str] = field(default_factory=dict)
    sources: dict[str, SparkSource] = field(default_factory=dict)
    known: dict[int, str] = field(default_factory=dict)

    def part(self, node: n.Node) -> str:
        """Return the name of what a node gives; a node that is used twice is one part."""
        if isinstance(node, n.Watermark):
            return self.part(node.input)
        if id(node) not in self.known:
            write = WRITE.get(type(node))
            if write is None:
                raise UntranslatableError(f"{type(node).__name__}, which Spark SQL does not know")
            text = write(self, node)
            self.known[id(node)] = f"n{len(self.parts)}"
            self.parts[self.known[id(node)]] = text
        return self.known[id(node)]

    def source(self, made: SparkSource | None, what: str, node: n.Node) -> str:
        if made is None:
            raise UntranslatableError(what)
        for one in node.fields:
            spark_type(one.type)
        name = f"s{len(self.sources)}"
        self.sources[name] = made
        return f"SELECT {', '.join(columns(len(node.fields)))} FROM {name}"

    def scan(self, node: n.Scan) -> str:
        made = self.connectors.source(node)
        connector = node.table.options.get("connector")
        return self.source(made.in_spark, f"table '{node.path}' of the connector '{connector}'", node)

    def values(self, node: n.Values) -> str:
        return self.source(given_rows(node.fields, node.rows), "", node)

    def columns(self, node: n.Columns) -> str:
        table = node.table.rename_columns(columns(len(node.fields)))
        return self.source(GivenRows(table, tuple(one.type for one in node.fields)), "", node)

    def project(self, node: n.Project) -> str:
        names = columns(len(node.input.fields))
        chosen = [f"{spark_expression(expr, names)} AS c{place}" for place, expr in enumerate(node.exprs)]
        return f"SELECT {', '.join(chosen)} FROM {self.part(node.input)}"

    def filter(self, node: n.Filter) -> str:
        condition = spark_expression(node.condition, columns(len(node.input.fields)))
        return f"SELECT * FROM {self.part(node.input)} WHERE {condition}"

    def windows(self, node: n.WindowTable) -> str:
        return windows(node, self.part(node.input), self.zone)

    def aggregate(self, node: n.Aggregate) -> str:
        keys = [f"c{key}" for key in node.keys]
        calls = [aggregate(call, node.input.fields) for call in node.calls]
        chosen = ", ".join(f"{made} AS c{place}" for place, made in enumerate([*keys, *calls]))
        end = f" GROUP BY {', '.join(keys)}" if keys else ""
        return f"SELECT {chosen} FROM {self.part(node.input)}{end}"

    def row_number(self, node: n.RowNumber) -> str:
        return f"SELECT *, {_number(node)} AS c{len(node.input.fields)} FROM {self.part(node.input)}"

    def rank(self, node: n.Rank) -> str:
        below, width = self.part(node.input), len(node.input.fields)
        if not node.partition and not node.number:
            order = f" ORDER BY {_order(node)}" if node.order else ""
            return f"SELECT * FROM {below}{order} LIMIT {node.limit - node.offset} OFFSET {node.offset}"
        chosen = ", ".join([*columns(width), f"n AS c{width}"] if node.number else columns(width))
        inner = f"SELECT *, {_number(node)} AS n FROM {below}"
        return f"SELECT {chosen} FROM ({inner}) WHERE n > {node.offset} AND n <= {node.limit}"

    def join(self, node: n.Join) -> str:
        left, right = self.part(node.left), self.part(node.right)
        names = [f"l.c{place}" for place in range(len(node.left.fields))]
        names += [f"r.c{place}" for place in range(len(node.right.fields))]
        condition = "TRUE" if node.condition is None else spark_expression(node.condition, names)
        chosen = ", ".join(f"{name} AS c{place}" for place, name in enumerate(names[: len(node.fields)]))
        return f"SELECT {chosen} FROM {left} AS l {JOINS[node.kind]} {right} AS r ON {condition}"

    def union(self, node: n.Union) -> str:
        return " UNION ALL ".join(f"SELECT * FROM {self.part(part)}" for part in node.parts)

    def set_operation(self, node: SetOperation) -> str:
        word = f"{node.kind} ALL" if node.every else node.kind
        return f"SELECT * FROM {self.part(node.left)} {word} SELECT * FROM {self.part(node.right)}"

    def expand(self, node: Expand) -> str:
        below, width = self.part(node.input), len(node.input.fields)
        texts = []
        for number, kept in enumerate(node.sets):
            heads = [f"c{key}" if key in kept else _nothing(node.input.fields[key]) for key in range(node.keys)]
            made = [*heads, f"CAST({number} AS BIGINT)", *(f"c{place}" for place in range(node.keys, width))]
            texts.append(f"SELECT {', '.join(f'{one} AS c{place}' for place, one in enumerate(made))} FROM {below}")
        return " UNION ALL ".join(texts)

    def over(self, node: OverAggregate) -> str:
        return over(node, self.part(node.input), self.zone)


def columns(count: int) -> list[str]:
    """Return the names of so many columns."""
    return [f"c{place}" for place in range(count)]


def _nothing(one: n.Field) -> str:
    return f"CAST(NULL AS {spark_type(one.type)})"


def _order(node: n.Rank | n.RowNumber) -> str:
    for key in node.order:
        if node.input.fields[key.index].role == n.PROCTIME:
            raise UntranslatableError("the order of processing time")
    return ", ".join(
        f"c{key.index} {'DESC' if key.descending else 'ASC'} NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in node.order
    )


def _number(node: n.Rank | n.RowNumber) -> str:
    partition = f"PARTITION BY {', '.join(f'c{key}' for key in node.partition)} " if node.partition else ""
    return f"CAST(ROW_NUMBER() OVER ({partition}ORDER BY {_order(node) or '1'}) AS BIGINT)"


WRITE: dict[type[n.Node], Callable[[_Writer, Any], str]] = {
    n.Scan: _Writer.scan, n.Values: _Writer.values, n.Columns: _Writer.columns, n.Project: _Writer.project,
    n.Filter: _Writer.filter, n.WindowTable: _Writer.windows, n.Aggregate: _Writer.aggregate,
    n.RowNumber: _Writer.row_number, n.Rank: _Writer.rank, n.Join: _Writer.join, n.Union: _Writer.union,
    SetOperation: _Writer.set_operation, Expand: _Writer.expand, OverAggregate: _Writer.over,
}  # fmt: skip
"""How each kind of node is written."""
