# ruff: noqa: S608 - queries of its own
"""Queries: each operator that keeps state, over an append-only stream and over changes."""

from __future__ import annotations

import datetime as dt

from tests.golden.saved_case import Case

from flott.common import RowKind, Types
from flott.table import Schema, StreamTableEnvironment

FIELDS = Types.ROW_NAMED(
    ["id", "k", "s", "v", "d", "ts"],
    [Types.LONG(), Types.LONG(), Types.STRING(), Types.LONG(), Types.DOUBLE(), Types.SQL_TIMESTAMP()],
)
START = dt.datetime.fromisoformat("2024-05-01")
BACK = {RowKind.UPDATE_BEFORE, RowKind.DELETE}
CHANGES = "(SELECT k, s, COUNT(*) AS n, MAX(v) AS v FROM t GROUP BY k, s)"
W = "window_start, window_end"
TUMBLE = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '0.2' SECOND))"
OF_U = TUMBLE.replace("TABLE t", "TABLE u")
HOP = "TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '0.1' SECOND, INTERVAL '0.3' SECOND))"
CUMULATE = "TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '0.1' SECOND, INTERVAL '0.3' SECOND))"
SESSION = "TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '0.05' SECOND))"
NUMBERED = "ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS rn"

QUERIES = {
    "group": "SELECT k, COUNT(*), SUM(v), AVG(v), MIN(v), MAX(v) FROM t GROUP BY k",
    "group-texts": "SELECT s, COUNT(*), SUM(d) FROM t GROUP BY s",
    "group-two-keys": "SELECT k, s, COUNT(*) FROM t GROUP BY k, s",
    "group-all": "SELECT COUNT(*), SUM(v) FROM t",
    "group-distinct": "SELECT k, COUNT(DISTINCT v), SUM(DISTINCT v) FROM t GROUP BY k",
    "group-filter": "SELECT k, COUNT(*) FILTER (WHERE v > 3), LISTAGG(s) FILTER (WHERE id < 9) FROM t GROUP BY k",
    "group-first-last": "SELECT k, FIRST_VALUE(v), LAST_VALUE(v), STDDEV_POP(d) FROM t GROUP BY k",
    "group-of-changes": f"SELECT k, SUM(n), MAX(v), MIN(v), COUNT(DISTINCT v) FROM {CHANGES} GROUP BY k",
    "grouping-sets": "SELECT k, s, SUM(v) FROM t GROUP BY GROUPING SETS ((k), (s), ())",
    "distinct": "SELECT DISTINCT k, v FROM t",
    "tumble": f"SELECT k, {W}, COUNT(*), SUM(v) FROM {TUMBLE} GROUP BY k, {W}",
    "tumble-texts": f"SELECT s, {W}, COUNT(*), MAX(d) FROM {TUMBLE} GROUP BY s, {W}",
    "tumble-all": f"SELECT {W}, COUNT(*), SUM(v) FROM {TUMBLE} GROUP BY {W}",
    "tumble-distinct": f"SELECT k, {W}, COUNT(DISTINCT v) FROM {TUMBLE} GROUP BY k, {W}",
    "hop": f"SELECT k, {W}, COUNT(*), SUM(v) FROM {HOP} GROUP BY k, {W}",
    "cumulate": f"SELECT k, {W}, COUNT(*), SUM(v) FROM {CUMULATE} GROUP BY k, {W}",
    "session": f"SELECT k, {W}, COUNT(*), SUM(v) FROM {SESSION} GROUP BY k, {W}",
    "group-window": (
        "SELECT k, TUMBLE_START(ts, INTERVAL '0.2' SECOND), SUM(v) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '0.2' SECOND)"
    ),
    "group-window-hop": (
        "SELECT k, HOP_START(ts, INTERVAL '0.1' SECOND, INTERVAL '0.3' SECOND), SUM(v) FROM t "
        "GROUP BY k, HOP(ts, INTERVAL '0.1' SECOND, INTERVAL '0.3' SECOND)"
    ),
    "group-window-session": (
        "SELECT k, SESSION_START(ts, INTERVAL '0.05' SECOND), SUM(v) FROM t "
        "GROUP BY k, SESSION(ts, INTERVAL '0.05' SECOND)"
    ),
    "over-rows": "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) FROM t",
    "over-range": (
        "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts "
        "RANGE BETWEEN INTERVAL '0.1' SECOND PRECEDING AND CURRENT ROW) FROM t"
    ),
    "over-unbounded": (
        "SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts), COUNT(*) OVER (PARTITION BY k ORDER BY ts) FROM t"
    ),
    "over-lag": "SELECT id, LAG(v, 2) OVER (PARTITION BY k ORDER BY ts) FROM t",
    "rank": f"SELECT k, id, v, rn FROM (SELECT *, {NUMBERED.format('k', 'v DESC, id')} FROM t) WHERE rn <= 3",
    "rank-of-changes": (
        f"SELECT k, s, n, rn FROM (SELECT *, {NUMBERED.format('k', 'n DESC, s')} FROM {CHANGES}) WHERE rn <= 2"
    ),
    "first-row": f"SELECT k, id FROM (SELECT *, {NUMBERED.format('k', 'ts')} FROM t) WHERE rn = 1",
    "last-row": f"SELECT k, id FROM (SELECT *, {NUMBERED.format('k', 'ts DESC')} FROM t) WHERE rn = 1",
    "window-rank": (
        f"SELECT k, id, {W} FROM (SELECT *, {NUMBERED.format('k, ' + W, 'v DESC, id')} FROM {TUMBLE}) WHERE rn <= 2"
    ),
    "window-last-row": (
        f"SELECT k, id, {W} FROM (SELECT *, {NUMBERED.format('k, ' + W, 'ts DESC')} FROM {TUMBLE}) WHERE rn = 1"
    ),
    "join": "SELECT t.id, u.id FROM t JOIN u ON t.v = u.v AND t.k = u.k",
    "join-texts": "SELECT t.id, u.id FROM t JOIN u ON t.s = u.s AND t.v < u.v",
    "join-left": "SELECT t.id, u.id FROM t LEFT JOIN u ON t.id = u.id",
    "join-full": "SELECT t.id, u.id FROM t FULL JOIN u ON t.id = u.id + 1",
    "join-of-changes": f"SELECT a.k, a.n, b.s FROM {CHANGES} AS a JOIN {CHANGES} AS b ON a.k = b.k AND a.n > b.n",
    "join-left-of-changes": f"SELECT t.id, b.n FROM t LEFT JOIN {CHANGES} AS b ON t.s = b.s AND t.v = b.v",
    "semi": "SELECT id FROM t WHERE id IN (SELECT id FROM u)",
    "anti": "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id)",
    "join-interval": (
        "SELECT t.id, u.id FROM t JOIN u ON t.k = u.k "
        "AND t.ts BETWEEN u.ts - INTERVAL '0.1' SECOND AND u.ts + INTERVAL '0.05' SECOND"
    ),
    "join-interval-left": (
        "SELECT t.id, u.id FROM t LEFT JOIN u ON t.k = u.k "
        "AND t.ts BETWEEN u.ts - INTERVAL '0.02' SECOND AND u.ts + INTERVAL '0.01' SECOND"
    ),
    "join-window": (
        f"SELECT a.id, b.id FROM (SELECT * FROM {TUMBLE}) AS a JOIN (SELECT * FROM {OF_U}) "
        "AS b ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end"
    ),
    "join-window-left": (
        f"SELECT a.id, b.id FROM (SELECT * FROM {TUMBLE}) AS a LEFT JOIN (SELECT * FROM "
        f"{OF_U}) AS b ON a.id = b.id AND a.window_start = b.window_start "
        "AND a.window_end = b.window_end"
    ),
    "join-temporal": ("SELECT t.id, r.id FROM t JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.k = r.k"),
    "union": "SELECT k, v FROM t UNION SELECT k, v FROM u",
    "intersect": "SELECT k, v FROM t INTERSECT SELECT k, v FROM u",
    "except-all": "SELECT k, v FROM t EXCEPT ALL SELECT k, v FROM u",
    "sort": "SELECT id FROM t ORDER BY ts",
    "limit": "SELECT id, v FROM t ORDER BY v DESC, id LIMIT 5",
    "match": (
        "SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.id AS a, LAST(B.id) AS b, C.id AS c "
        "AFTER MATCH SKIP PAST LAST ROW PATTERN (A B* C) DEFINE A AS v < 3, B AS v < 6, C AS v >= 6)"
    ),
}
RATES = f"SELECT k, id, ts FROM (SELECT *, {NUMBERED.format('k', 'ts DESC')} FROM u) WHERE rn = 1"
BUNDLED = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 s",
    "table.exec.mini-batch.size": "50",
}


def row(value):
    seven = value * 7 % 10
    return value, value % 5, f"s{value % 4}", seven, seven / 4, START + dt.timedelta(milliseconds=value * 10)


def query_case(sql):
    def build(numbers):
        t_env = StreamTableEnvironment.create(numbers.get_execution_environment())
        schema = Schema.new_builder()
        for name, kind in (("id", "BIGINT"), ("k", "BIGINT"), ("s", "STRING"), ("v", "BIGINT"), ("d", "DOUBLE")):
            schema.column(name, kind)
        schema.column("ts", "TIMESTAMP(3)").watermark("ts", "ts")
        rows = numbers.map(row, FIELDS).uid("rows")
        others = numbers.filter(lambda value: value % 3 == 0).map(row, FIELDS).uid("others")
        t_env.create_temporary_view("t", t_env.from_data_stream(rows, schema.build()))
        t_env.create_temporary_view("u", t_env.from_data_stream(others, schema.build()))
        t_env.create_temporary_view("rates", t_env.sql_query(RATES))
        changes = t_env.to_changelog_stream(t_env.sql_query(sql))
        return changes.map(line, Types.STRING()).uid("lines")

    return build


def line(change):
    sign = "-" if change.get_row_kind() in BACK else "+"
    return sign + " ".join(map(str, change))


CASES = [
    *(Case(f"sql-{name}", query_case(sql)) for name, sql in QUERIES.items()),
    *(
        Case(f"sql-{name}-bundled", query_case(QUERIES[name]), BUNDLED)
        for name in ("group", "group-distinct", "group-of-changes", "join")
    ),
    Case("sql-group-ttl", query_case(QUERIES["group"]), {"table.exec.state.ttl": "1 h"}),
    Case("sql-join-ttl", query_case(QUERIES["join"]), {"table.exec.state.ttl": "1 h"}),
]
