"""A job that starts with a past: its state is made from a table before it ever runs, and looked into.

    flott run examples/state_bootstrap.py

A shop counts the points of its customers in a streaming job. It is new, but the customers are not: last year's
purchases lie in a table. `flott.state_processor` writes a savepoint of them, in which every customer has their points;
the job starts from it as if it had been there all along. `SavepointReader` shows what is in a savepoint.
"""

from __future__ import annotations

import random
import tempfile

import pandas as pd
from drawing import bars, table
from sample_data import orders

from flott.common import Configuration, Types
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ValueStateDescriptor
from flott.state_processor import (
    KeyedStateBootstrapFunction,
    OperatorIdentifier,
    OperatorTransformation,
    SavepointReader,
    SavepointWriter,
)

POINTS = ValueStateDescriptor("points", Types.LONG())
LEVELS = {"bronze": 0, "silver": 5_000, "gold": 6_000}
UID = "points"
"""Names the operator in the savepoint and in the job."""


def level(points: int) -> str:
    return [name for name, needed in LEVELS.items() if points >= needed][-1]


class CountPoints(KeyedProcessFunction):
    """The job: a point for each euro; tells when a customer reaches another level."""

    def open(self, runtime_context):
        self.points = runtime_context.get_state(POINTS)

    def process_element(self, value, ctx):
        before = self.points.value() or 0
        after = before + value.cents // 100
        self.points.update(after)
        if level(after) != level(before):
            yield value.customer, level(before), level(after)


class RememberPoints(KeyedStateBootstrapFunction):
    """The past: adds up the rows of a table, into the same state."""

    def open(self, runtime_context):
        self.points = runtime_context.get_state(POINTS)

    def process_element(self, value, ctx):
        self.points.update((self.points.value() or 0) + value["points"])


def last_year() -> pd.DataFrame:
    dice = random.Random(9)
    rows = [(dice.randrange(200), dice.randrange(1, 200)) for _ in range(10_000)]
    return pd.DataFrame(rows, columns=["customer", "points"])


def bootstrap(past: pd.DataFrame, path: str) -> None:
    """Write a savepoint in which each customer has the points of a table."""
    data = OperatorTransformation.bootstrap_with(past).key_by(lambda row: row["customer"]).transform(RememberPoints())
    SavepointWriter.new_savepoint(max_parallelism=128).with_operator(OperatorIdentifier.for_uid(UID), data).write(path)


def promotions(made, savepoint: str) -> list:
    """Run the job over new orders, from a savepoint on; who went from which level to which."""
    configuration = Configuration().set_string("execution.state-recovery.path", savepoint)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    stream = env.from_collection(made).key_by(lambda order: order.customer).process(CountPoints()).uid(UID)
    with stream.execute_and_collect("points") as results:
        return sorted(results)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/last-year"
        bootstrap(last_year(), path)
        state = SavepointReader.read(path).read_keyed_state(UID, "points").to_pandas()
        print(f"{len(state)} customers have {state['value'].sum():,} points")
        print(bars({name: int((state["value"].map(level) == name).sum()) for name in LEVELS}), end="\n\n")
        found = promotions(orders(), path)
    print(table(["customer", "was", "is now"], found[:5]))
    print(f"\n{len({customer for customer, *_ in found})} customers have reached another level")


if __name__ == "__main__":
    main()
