"""Random statements for the planner: any form of query, with expressions that mostly fit their types.

`Statements(draw).statement()` draws one over the tables of `TABLES`. One expression in `MISFIT` has the type of something
else, so that what is refused is drawn as well as what is planned.
"""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

MISFIT = 60
COLUMNS = {
    "int": "i", "bigint": "l", "decimal": "d", "double": "g", "string": "s", "bool": "b", "date": "dt", "time": "tm",
    "ts": "ts", "ltz": "lt", "bytes": "y", "array": "r", "map": "m", "row": "w",
}  # fmt: skip
DECLARED = (
    "i INT, l BIGINT, d DECIMAL(9, 2), g DOUBLE, s STRING, b BOOLEAN, dt DATE, tm TIME(0), ts TIMESTAMP(3), lt TIMESTAMP_LTZ(3), "
    "y BYTES, r ARRAY<INT>, m MAP<STRING, INT>, w ROW<x INT, z STRING>"
)
TABLES = (
    f"CREATE TABLE t ({DECLARED}, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'values', 'data' = '[]')",
    f"CREATE TABLE u ({DECLARED}, p AS PROCTIME(), WATERMARK FOR lt AS lt) WITH ('connector' = 'values', 'data' = '[]')",
    (
        f"CREATE TABLE v ({DECLARED}, PRIMARY KEY (i) NOT ENFORCED, WATERMARK FOR ts AS ts) "
        "WITH ('connector' = 'values', 'data' = '[[\"-D\",1,1,1,1,\"a\",true,null,null,null,null,null,null,null,null]]')"
    ),
    "CREATE VIEW q AS SELECT i, l, d, g, s, b, dt, tm, ts, lt, y, r, m, w FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY i ORDER BY ts DESC) AS n FROM t) WHERE n = 1",
    "CREATE TABLE sink (i INT NOT NULL, s STRING, n BIGINT, PRIMARY KEY (i) NOT ENFORCED) WITH ('connector' = 'print')",
)
FORMS = {
    "int": (
        "{int} + {int}", "{int} * {int}", "{int} - {int}", "{int} / {int}", "{int} % {int}", "-{int}", "ABS({int})", "CHAR_LENGTH({string})",
        "CAST({number} AS INT)", "TRY_CAST({string} AS INT)", "POSITION({string} IN {string})", "{array}[{int}]", "{map}[{string}]",
        "CARDINALITY({array})", "COALESCE({int}, {int})", "CASE WHEN {bool} THEN {int} ELSE {int} END", "SIGN({int})", "{row}.x",
        "TIMESTAMPDIFF(DAY, {ts}, {ts})", "NULLIF({int}, {int})", "GREATEST({int}, {int})", "CASE {int} WHEN 1 THEN {int} END",
        "LOCATE({string}, {string})", "INSTR({string}, {string})", "IF({bool}, {int}, {int})", "JSON_VALUE({string}, '$.a' RETURNING INT)",
        "CAST({bool} AS INT)", "ROUND({int}, {int})", "CARDINALITY({map})",
    ),
    "bigint": (
        "{bigint} + {int}", "EXTRACT(YEAR FROM {date})", "EXTRACT(HOUR FROM {ts})", "UNIX_TIMESTAMP({string})", "CAST({int} AS BIGINT)",
        "YEAR({date})", "DAYOFWEEK({ts})", "FLOOR({bigint})", "UNIX_TIMESTAMP()", "MOD({bigint}, {int})", "EXTRACT(WEEK FROM {ltz})",
    ),
    "decimal": ("{decimal} + {decimal}", "{decimal} * {int}", "{decimal} / {int}", "ROUND({decimal}, 1)", "CAST({string} AS DECIMAL(7, 2))", "CEIL({decimal})", "LEAST({decimal}, {int})"),
    "double": ("SQRT({number})", "POWER({number}, {number})", "{double} / {number}", "LN({double})", "CAST({string} AS DOUBLE)", "EXP({int})", "ROUND({double}, 2)", "SIN({number})"),
    "string": (
        "UPPER({string})", "{string} || {string}", "CONCAT({string}, {string})", "SUBSTRING({string}, {int}, {int})", "TRIM({string})",
        "REPLACE({string}, {string}, {string})", "CAST({any} AS STRING)", "DATE_FORMAT({ts}, 'yyyy-MM')", "LPAD({string}, {int}, {string})",
        "JSON_OBJECT('k' VALUE {any})", "JSON_QUERY({string}, '$.a')", "REGEXP_EXTRACT({string}, {string}, {int})", "{row}.z",
        "REGEXP_REPLACE({string}, {string}, {string})", "SPLIT_INDEX({string}, {string}, {int})", "MD5({string})", "REVERSE({string})",
        "TRIM(LEADING {string} FROM {string})", "CONCAT_WS({string}, {string}, {string})", "CASE WHEN {bool} THEN {string} END",
        "COALESCE({string}, {string})", "INITCAP({string})", "LEFT({string}, {int})", "CAST({string} AS VARCHAR(3))", "JSON_ARRAY({any}, {any})",
    ),
    "bool": (
        "{int} = {int}", "{number} < {number}", "{string} LIKE {string}", "{any} IS NULL", "{any} IS NOT NULL", "NOT {bool}", "{bool} AND {bool}",
        "{bool} OR {bool}", "{int} IN ({int}, {int})", "{number} BETWEEN {number} AND {number}", "{bool} IS TRUE", "{ts} > {ts}",
        "{date} <= {date}", "{string} SIMILAR TO {string}", "{string} IS JSON", "JSON_EXISTS({string}, '$.a')", "REGEXP({string}, {string})",
        "{int} IS DISTINCT FROM {int}", "{string} NOT IN ({string}, {string})", "{row} = {row}", "{array} = {array}", "{string} = {string}",
        "{number} BETWEEN SYMMETRIC {number} AND {number}", "{string} LIKE {string} ESCAPE '!'",
    ),
    "date": ("{date} + INTERVAL '1' DAY", "CAST({ts} AS DATE)", "TO_DATE({string})", "FLOOR({date} TO MONTH)", "CURRENT_DATE", "TIMESTAMPADD(MONTH, {int}, {date})"),
    "time": ("{time} + INTERVAL '1' HOUR", "CAST({ts} AS TIME)", "CURRENT_TIME", "TIME '12:00:00'"),
    "ts": ("{ts} + INTERVAL '1' MONTH", "CAST({date} AS TIMESTAMP(3))", "TO_TIMESTAMP({string})", "CEIL({ts} TO HOUR)", "TIMESTAMPADD(DAY, {int}, {ts})", "LOCALTIMESTAMP"),
    "ltz": ("TO_TIMESTAMP_LTZ({bigint}, 3)", "CAST({ts} AS TIMESTAMP_LTZ(3))", "CURRENT_TIMESTAMP", "{ltz} - INTERVAL '1' SECOND"),
    "bytes": ("CAST({string} AS BYTES)",),
    "array": ("ARRAY[{int}, {int}]", "COALESCE({array}, {array})"),
    "map": ("MAP[{string}, {int}]",),
    "row": ("ROW({int}, {string})",),
}  # fmt: skip
CONSTANTS = {
    "int": ("0", "1", "-7", "2147483647", "CAST(NULL AS INT)"), "bigint": ("9223372036854775807", "0"), "decimal": ("0.5", "-12.34"),
    "double": ("1e10", "CAST('NaN' AS DOUBLE)"), "string": ("''", "'a'", "'ä%'", "'{\"a\":1}'", "'2020-02-29'"), "bool": ("TRUE", "FALSE"),
    "date": ("DATE '2020-02-29'",), "time": ("TIME '00:00:01'",), "ts": ("TIMESTAMP '2020-02-29 12:00:00'",),
    "ltz": ("CAST(TIMESTAMP '2020-02-29 12:00:00' AS TIMESTAMP_LTZ(3))",), "bytes": ("CAST('' AS BYTES)",), "array": ("ARRAY[1]",),
    "map": ("MAP['a', 1]",), "row": ("ROW(1, 'a')",),
}  # fmt: skip
NUMBERS = ("int", "bigint", "decimal", "double")
KEYS = ("int", "string", "date", "bool")
AGGREGATES = (
    "COUNT(*)", "COUNT({any})", "SUM({number})", "AVG({number})", "MIN({int})", "MAX({string})", "COUNT(DISTINCT {int})", "LISTAGG({string})",
    "FIRST_VALUE({string})", "LAST_VALUE({any})", "STDDEV_POP({number})", "VAR_SAMP({double})", "SUM(DISTINCT {int})", "MAX({ts})",
    "JSON_ARRAYAGG({string})", "COUNT(*) FILTER (WHERE {bool})", "SUM({int}) FILTER (WHERE {bool})", "MIN({decimal})",
)  # fmt: skip
WINDOWS = (
    "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE)", "HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)",
    "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '15' MINUTE)", "TUMBLE(TABLE u, DESCRIPTOR(lt), INTERVAL '1' HOUR)",
    "SESSION(TABLE t PARTITION BY s, DESCRIPTOR(ts), INTERVAL '5' MINUTE)", "TUMBLE(TABLE u, DESCRIPTOR(p), INTERVAL '1' HOUR)",
    "TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' DAY)",
)  # fmt: skip


class Statements:
    """Draws statements."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.names = 0

    def statement(self) -> str:
        """Return a statement."""
        draw = self.draw
        if draw.random() < 0.05:
            return f"INSERT INTO sink {self.query(1)}"
        if draw.random() < 0.08:
            return f"WITH c AS ({self.query(1)}) SELECT * FROM c"
        made = self.query(2)
        if draw.random() < 0.05:
            made = (
                f"({made}) {draw.choice(('UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL'))} ({self.query(1)})"
            )
        return made

    def query(self, depth: int) -> str:
        forms = (
            self.rows, self.rows, self.groups, self.groups, self.join, self.window, self.window_join, self.over, self.top, self.sets,
            self.nested, self.match, self.temporal, self.interval_join, self.unnest, self.sub_query, self.grouping_sets, self.legacy_window,
            self.values, self.sorted,
        )  # fmt: skip
        return self.draw.choice(forms)(depth)

    # Expressions

    def expression(self, kind: str, alias: str, depth: int = 2) -> str:
        """Return an expression of a kind over the columns of a table."""
        draw = self.draw
        if kind == "any":
            kind = draw.choice(tuple(COLUMNS))
        elif kind == "number":
            kind = draw.choice(NUMBERS)
        if draw.randrange(MISFIT) == 0:
            kind = draw.choice(tuple(COLUMNS))
        if depth == 0 or draw.random() < 0.4:
            return f"{alias}.{COLUMNS[kind]}" if draw.random() < 0.8 else draw.choice(CONSTANTS[kind])
        return f"({self.filled(draw.choice(FORMS[kind]), alias, depth - 1)})"

    def filled(self, form: str, alias: str, depth: int) -> str:
        parts = [(text, kind) for text, kind, _, _ in Formatter().parse(form)]
        return "".join(text + ("" if kind is None else self.expression(kind, alias, depth)) for text, kind in parts)

    def aggregates(self, alias: str) -> str:
        chosen = self.draw.sample(AGGREGATES, self.draw.randint(1, 3))
        return ", ".join(f"{self.filled(one, alias, 1)} AS a{place}" for place, one in enumerate(chosen))

    def table(self) -> str:
        return self.draw.choice(("t", "t", "u", "v", "q"))

    def name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def where(self, alias: str) -> str:
        return self.draw.choice(("", f" WHERE {self.expression('bool', alias)}"))

    def key(self) -> str:
        return self.draw.choice(KEYS)

    # Queries

    def rows(self, depth: int) -> str:
        alias = self.name()
        selected = ", ".join(f"{self.expression('any', alias)} AS c{place}" for place in range(self.draw.randint(1, 3)))
        return f"SELECT {self.draw.choice(('', '', 'DISTINCT '))}{selected} FROM {self.table()} AS {alias}{self.where(alias)}"

    def groups(self, depth: int) -> str:
        alias = self.name()
        keys = [self.expression(self.key(), alias, 1) for _ in range(self.draw.randint(0, 2))]
        behind = f" GROUP BY {', '.join(keys)}" if keys else ""
        having = self.draw.choice(("", "", f" HAVING {self.filled('COUNT(*) > {int}', alias, 0)}")) if keys else ""
        return f"SELECT {''.join(f'{key} AS k{place}, ' for place, key in enumerate(keys))}{self.aggregates(alias)} FROM {self.table()} AS {alias}{self.where(alias)}{behind}{having}"

    def grouping_sets(self, depth: int) -> str:
        alias = self.name()
        sets = self.draw.choice(("GROUPING SETS ((A, B), (A), ())", "ROLLUP (A, B)", "CUBE (A, B)"))
        sets = sets.replace("A", f"{alias}.i").replace("B", f"{alias}.s")
        return f"SELECT {alias}.i, {alias}.s, GROUPING({alias}.i) AS g, {self.aggregates(alias)} FROM {self.table()} AS {alias} GROUP BY {sets}"

    def join(self, depth: int) -> str:
        one, other, kind = self.name(), self.name(), self.draw.choice(KEYS)
        how = self.draw.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        on = f"{one}.{COLUMNS[kind]} = {other}.{COLUMNS[kind]}"
        if self.draw.random() < 0.3:
            on += f" AND {self.expression('bool', self.draw.choice((one, other)), 1)}"
        return f"SELECT {self.expression('any', one)} AS c0, {self.expression('any', other)} AS c1 FROM {self.table()} AS {one} {how} {self.table()} AS {other} ON {on}{self.where(one)}"

    def interval_join(self, depth: int) -> str:
        how = self.draw.choice(("JOIN", "LEFT JOIN", "FULL JOIN"))
        return (
            f"SELECT {self.expression('any', 'x1')} AS c0, x2.s FROM t AS x1 {how} t AS x2 ON x1.i = x2.i AND x1.ts BETWEEN x2.ts - INTERVAL '1' HOUR "
            f"AND x2.ts + INTERVAL '{self.draw.randint(0, 9)}' MINUTE{self.where('x1')}"
        )

    def temporal(self, depth: int) -> str:
        how = self.draw.choice(("JOIN", "LEFT JOIN"))
        right, time = self.draw.choice((("v", "x1.ts"), ("q", "x1.ts"), ("v", "x1.lt")))
        return f"SELECT x1.s, {self.expression('any', 'x2')} AS c0 FROM t AS x1 {how} {right} FOR SYSTEM_TIME AS OF {time} AS x2 ON x1.i = x2.i{self.where('x1')}"

    def window(self, depth: int) -> str:
        keys = self.draw.choice(("", "s, ", "i, "))
        bounds = self.draw.choice(("window_start, window_end", "window_start, window_end", "window_start"))
        calls = self.aggregates("x1")
        return f"SELECT {keys}window_start, {calls} FROM TABLE({self.draw.choice(WINDOWS)}) AS x1{self.where('x1')} GROUP BY {keys}{bounds}"

    def legacy_window(self, depth: int) -> str:
        form = self.draw.choice(
            (
                "TUMBLE(ts, INTERVAL '1' MINUTE)",
                "HOP(ts, INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)",
                "SESSION(ts, INTERVAL '1' MINUTE)",
            )
        )
        start = form.replace("(", "_START(", 1)
        return f"SELECT {start} AS w, i, {self.aggregates('t')} FROM t{self.where('t')} GROUP BY {form}, i"

    def window_join(self, depth: int) -> str:
        form = self.draw.choice(WINDOWS[:3])
        how = self.draw.choice(("JOIN", "LEFT JOIN", "FULL JOIN"))
        return (
            f"SELECT x1.s, {self.expression('any', 'x2', 1)} AS c0 FROM (SELECT * FROM TABLE({form})) AS x1 {how} (SELECT * FROM TABLE({form})) AS x2 "
            f"ON x1.i = x2.i AND x1.window_start = x2.window_start AND x1.window_end = x2.window_end"
        )

    def over(self, depth: int) -> str:
        call = self.filled(
            self.draw.choice(
                (
                    "SUM({int})",
                    "COUNT({any})",
                    "MAX({string})",
                    "AVG({double})",
                    "LAG({int}, 1)",
                    "FIRST_VALUE({int})",
                    "ROW_NUMBER()",
                )
            ),
            "t",
            1,
        )
        frame = self.draw.choice(
            (
                "",
                " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
                " RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW",
            )
        )
        by = self.draw.choice(("", "PARTITION BY s ", f"PARTITION BY {self.expression('int', 't', 1)} "))
        return f"SELECT s, {call} OVER ({by}ORDER BY {self.draw.choice(('ts', 'ts', 'i'))}{frame}) AS c0 FROM t{self.where('t')}"

    def top(self, depth: int) -> str:
        kind, table, alias = self.draw.choice(KEYS), self.table(), self.name()
        order = self.draw.choice(("ts", "ts DESC", "i", f"{self.expression('number', alias, 1)} DESC, s"))
        name = self.draw.choice(("ROW_NUMBER", "ROW_NUMBER", "RANK", "DENSE_RANK"))
        limit = self.draw.choice(("n = 1", "n <= 3", "n < 5", "n BETWEEN 2 AND 4", "n > 1"))
        return f"SELECT i, s{self.draw.choice(('', ', n'))} FROM (SELECT *, {name}() OVER (PARTITION BY {COLUMNS[kind]} ORDER BY {order}) AS n FROM {table} AS {alias}) WHERE {limit}"

    def sets(self, depth: int) -> str:
        kinds = [self.draw.choice(KEYS) for _ in range(2)]
        parts = []
        for _ in range(2):
            alias = self.name()
            columns = ", ".join(f"{self.expression(kind, alias, 1)} AS c{place}" for place, kind in enumerate(kinds))
            parts.append(f"SELECT {columns} FROM {self.table()} AS {alias}{self.where(alias)}")
        return (
            f" {self.draw.choice(('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'INTERSECT ALL', 'EXCEPT ALL'))} ".join(
                parts
            )
        )

    def nested(self, depth: int) -> str:
        if depth == 0:
            return self.rows(depth)
        return f"SELECT {self.draw.choice(('*', 'DISTINCT *', 'COUNT(*) AS n', 'COUNT(*) AS n, 1 AS one'))} FROM ({self.query(depth - 1)}) AS {self.name()}"

    def sub_query(self, depth: int) -> str:
        kind, not_ = self.draw.choice(KEYS), self.draw.choice(("", "NOT "))
        column = COLUMNS[kind]
        condition = self.draw.choice((
            f"x1.{column} {not_}IN (SELECT {self.expression(kind, 'x2', 1)} FROM {self.table()} AS x2{self.where('x2')})",
            f"{not_}EXISTS (SELECT 1 FROM {self.table()} AS x2 WHERE x2.{column} = x1.{column} AND {self.expression('bool', 'x2', 1)})",
            f"x1.i > (SELECT {self.filled('MAX({int})', 'x2', 1)} FROM {self.table()} AS x2 WHERE x2.{column} = x1.{column})",
            f"x1.{column} = (SELECT MAX({self.expression(kind, 'x2', 1)}) FROM {self.table()} AS x2)",
        ))  # fmt: skip
        return f"SELECT {self.expression('any', 'x1')} AS c0 FROM {self.table()} AS x1 WHERE {condition}{self.draw.choice(('', ' AND x1.b'))}"

    def unnest(self, depth: int) -> str:
        how = self.draw.choice(
            (
                "CROSS JOIN UNNEST(x1.r) AS x2 (e)",
                "LEFT JOIN UNNEST(x1.r) AS x2 (e) ON TRUE",
                "CROSS JOIN UNNEST(x1.m) AS x2 (e, f)",
            )
        )
        return f"SELECT {self.expression('any', 'x1', 1)} AS c0, e FROM {self.table()} AS x1 {how}{self.where('x1')}"

    def match(self, depth: int) -> str:
        pattern = self.draw.choice(("A B", "A B+ C", "A B* C", "A B? C", "A B{2,3}", "A B+? C", "A{2} B"))
        skip = self.draw.choice(
            ("", "AFTER MATCH SKIP PAST LAST ROW ", "AFTER MATCH SKIP TO NEXT ROW ", "AFTER MATCH SKIP TO LAST B ")
        )
        measure = self.filled(self.draw.choice(("{int}", "{string}", "{number}")), "B", 1)
        last = self.draw.choice(
            ("", ", LAST(B.i) AS m1", ", SUM(B.i) AS m1", ", COUNT(B.s) AS m1", ", MATCH_ROWTIME() AS m1")
        )
        return (
            f"SELECT * FROM t MATCH_RECOGNIZE ({self.draw.choice(('', 'PARTITION BY s '))}ORDER BY ts MEASURES {measure} AS m0{last} ONE ROW PER MATCH {skip}"
            f"PATTERN ({pattern}) DEFINE B AS {self.expression('bool', 'B', 1)}) AS x1"
        )

    def values(self, depth: int) -> str:
        rows = ", ".join(
            f"({self.draw.choice(CONSTANTS['int'])}, {self.draw.choice(CONSTANTS['string'])})"
            for _ in range(self.draw.randint(1, 3))
        )
        return f"SELECT c0 + 1 AS c2, UPPER(c1) AS c3 FROM (VALUES {rows}) AS x1 (c0, c1)"

    def sorted(self, depth: int) -> str:
        alias = self.name()
        order = self.draw.choice((f"{alias}.ts", f"{alias}.i DESC", self.expression("string", alias, 1)))
        limit = self.draw.choice(("", " LIMIT 3", " LIMIT 3 OFFSET 1", " FETCH FIRST 2 ROWS ONLY"))
        return f"SELECT {alias}.i, {alias}.s FROM {self.table()} AS {alias}{self.where(alias)} ORDER BY {order}{limit}"
