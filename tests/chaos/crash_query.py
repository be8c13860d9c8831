"""A query of Nexmark as a program of its own, whose driver dies at some points: run it again until it ends.

    python crash_query.py TARGET DIRECTORY QUERY [POINT ...]

The events come in small epochs, however fast the machine is. What the query changes is written to files, exactly once,
a line of JSON for each change.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import yaml
from tests.chaos.crash_job import Trap
from tests.chaos.self_checking import file_sink
from tests.table.nexmark.events import TABLES, event

from flott.common import Configuration, Types, WatermarkStrategy
from flott.connectors.base import Source
from flott.connectors.index_range import RECORDS_PER_SUBTASK, IndexRangeEnumerator
from flott.datastream import StreamExecutionEnvironment
from flott.runtime.batch import Batch
from flott.table import Schema, StreamTableEnvironment

QUERIES = Path(__file__).parent.parent / "table" / "nexmark" / "queries.yaml"
EVENTS = 3_000
IN_AN_EPOCH = 75
"""Of each subtask."""


class FewAtOnce(IndexRangeEnumerator):
    """Plans the same small number of events for each epoch."""

    def plan(self, scale, now):
        return super().plan((IN_AN_EPOCH + 0.5) / RECORDS_PER_SUBTASK, now)


class Events(Source):
    """The first events of Nexmark: the kind and the row of each."""

    def is_bounded(self):
        return True

    def create_enumerator(self, parallelism):
        return FewAtOnce(0, EVENTS, parallelism)

    def read(self, read):
        yield Batch(list(map(event, range(read.start, read.end))))


def create_tables(t_env, env):
    events = env.from_source(Events(), WatermarkStrategy.no_watermarks(), "events")
    for name, columns in TABLES.items():
        schema = Schema.new_builder()
        for column in columns.split(", "):
            schema.column(*column.split(" "))
        schema.watermark("dateTime", "`dateTime` - INTERVAL '4' SECOND")
        names = [column.split(" ")[0] for column in columns.split(", ")]
        rows = events.flat_map(OfKind(name), Types.ROW_NAMED(names, [Types.PICKLED_BYTE_ARRAY()] * len(names)))
        t_env.create_temporary_view(name, t_env.from_data_stream(rows, schema.build()))


class OfKind:
    """Takes the rows of one kind."""

    def __init__(self, kind):
        self.kind = kind

    def __call__(self, found):
        if found[0] == self.kind:
            yield found[1]


def line(row):
    return json.dumps([str(row.get_row_kind()), *row], default=str)


def main():
    target, directory, query, *points = sys.argv[1:]
    configuration = Configuration()
    for key, value in {
        "flott.execution.target": target,
        "flott.spark.master": "local[2]",
        "flott.state.dir": f"{directory}/state",
        "execution.checkpointing.interval": "100 ms",
        "execution.checkpointing.dir": f"{directory}/checkpoints",
    }.items():
        configuration.set_string(key, value)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    t_env = StreamTableEnvironment.create(env)
    create_tables(t_env, env)
    table = t_env.sql_query(yaml.safe_load(QUERIES.read_text(encoding="utf-8"))[query]["flott"])
    t_env.to_changelog_stream(table).map(line, Types.STRING()).sink_to(file_sink(f"{directory}/out"))
    deaths = Path(directory, "deaths")
    deaths.mkdir(exist_ok=True)
    Trap(deaths, "driver", os.getpid(), tuple(points)).set()
    env.execute(query)


if __name__ == "__main__":
    main()
