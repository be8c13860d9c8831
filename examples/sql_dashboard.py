"""Figures for a dashboard, in SQL: revenue per minute, best-selling items, shares of cities.

    flott run examples/sql_dashboard.py

Orders are lines of JSON in a directory. One statement says how to read them, and that event time is the column `at`;
each tile of the dashboard is a query. On a stream the results of a query change as rows come; `to_pandas` runs it to
its end and returns the rows that are left.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from drawing import bars, clock, table
from sample_data import orders

from flott.table import EnvironmentSettings, TableEnvironment

TABLE = """
    CREATE TABLE orders (
        `number` BIGINT, customer BIGINT, city STRING, item STRING, cents BIGINT, at TIMESTAMP(3),
        WATERMARK FOR at AS at - INTERVAL '5' MINUTE
    ) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{path}')
"""
PER_MINUTE = """
    SELECT DATE_FORMAT(window_start, 'HH:mm') AS `minute`, SUM(cents) / 100 AS revenue
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' MINUTE))
    GROUP BY window_start, window_end
"""
BEST_SELLING = """
    SELECT place, item, sold FROM (
        SELECT *, ROW_NUMBER() OVER (ORDER BY sold DESC, item) AS place
        FROM (SELECT item, COUNT(*) AS sold FROM orders GROUP BY item)
    ) WHERE place <= 3
"""
PER_CITY = """
    SELECT city, COUNT(*) AS orders, COUNT(DISTINCT customer) AS customers, AVG(cents) / 100 AS average,
        COUNT(*) FILTER (WHERE cents > 15000) AS large
    FROM orders GROUP BY city
"""


def write_orders(folder, made) -> None:
    """Write orders as lines of JSON, with times as SQL reads them."""
    rows = ({**asdict(order), "at": clock(order.at, "%Y-%m-%d %H:%M:%S.%f")[:-3]} for order in made)
    Path(folder, "orders.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def tables(folder):
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "2")
    # A change for each of many rows is more than a dashboard needs: groups tell their results now and then.
    t_env.get_config().set("table.exec.mini-batch.enabled", "true")
    t_env.execute_sql(TABLE.format(path=folder))
    return t_env


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_orders(folder, orders())
        t_env = tables(folder)
        minutes = t_env.sql_query(PER_MINUTE).to_pandas().sort_values("minute")
        items = t_env.sql_query(BEST_SELLING).to_pandas().sort_values("place")
        cities = t_env.sql_query(PER_CITY).to_pandas().sort_values("city")
    print("Revenue per minute")
    print(bars(zip(minutes["minute"], minutes["revenue"], strict=True)), end="\n\n")
    print(table(["", "best-selling", "sold"], items.itertuples(index=False)), end="\n\n")
    print(table(["city", "orders", "customers", "average", "over 150"], cities.itertuples(index=False)))


if __name__ == "__main__":
    main()
