"""Nexmark: the benchmark of streaming engines, as a program. Persons open auctions, others bid.

    flott run examples/nexmark.py [--events 50000]

Three of its queries, in SQL, over three streams of events that a seeded generator writes. All of Nexmark is in
`tests/table/nexmark`, each query compared with DuckDB; `benchmarks/nexmark.py` measures how fast it is. Nexmark's
windows are ten seconds long; with the few events of this example they are shorter.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from drawing import table

from flott.table import EnvironmentSettings, TableEnvironment

sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))
from nexmark_events import create_tables, write_events  # the generator of the benchmarks

QUERIES = {
    "q4: the average price that auctions end with, per category": """
        SELECT category, COUNT(*) AS auctions, AVG(final) AS average FROM (
            SELECT MAX(B.price) AS final, A.category FROM auction A, bid B
            WHERE A.id = B.auction AND B.`dateTime` BETWEEN A.`dateTime` AND A.expires GROUP BY A.id, A.category
        ) GROUP BY category
    """,
    "q5: the auction with the most bids, second by second": """
        SELECT DATE_FORMAT(window_end, 'HH:mm:ss') AS until, auction, bids FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY bids DESC, auction) AS place
            FROM (
                SELECT auction, COUNT(*) AS bids, window_start, window_end
                FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '1' SECOND, INTERVAL '2' SECOND))
                GROUP BY auction, window_start, window_end
            )
        ) WHERE place = 1
    """,
    "q8: people who came and opened an auction in the same second": """
        SELECT DATE_FORMAT(P.starttime, 'HH:mm:ss') AS `second`, COUNT(*) AS people FROM (
            SELECT id, window_start AS starttime, window_end AS endtime
            FROM TABLE(TUMBLE(TABLE person, DESCRIPTOR(`dateTime`), INTERVAL '1' SECOND))
            GROUP BY id, window_start, window_end
        ) P JOIN (
            SELECT seller, window_start AS starttime, window_end AS endtime
            FROM TABLE(TUMBLE(TABLE auction, DESCRIPTOR(`dateTime`), INTERVAL '1' SECOND))
            GROUP BY seller, window_start, window_end
        ) A ON P.id = A.seller AND P.starttime = A.starttime AND P.endtime = A.endtime
        GROUP BY DATE_FORMAT(P.starttime, 'HH:mm:ss')
    """,
}


def answers(folder):
    """Yield what each query is about, and the rows it ends with."""
    t_env = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    t_env.get_config().set("parallelism.default", "2")
    t_env.get_config().set("table.exec.mini-batch.enabled", "true")
    create_tables(t_env.execute_sql, Path(folder), "csv")
    for title, query in QUERIES.items():
        yield title, t_env.sql_query(query).to_pandas()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=50_000, help="how many; 10,000 are a second (default: 50000)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_events(Path(folder), options.events, "csv")
        for title, rows in answers(folder):
            print(title, end="\n\n")
            print(table(list(rows.columns), sorted(rows.itertuples(index=False))), end="\n\n")


if __name__ == "__main__":
    main()
