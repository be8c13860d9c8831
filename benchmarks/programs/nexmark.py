"""Nexmark's queries over files, into a table that discards: on Flott, and on Flink SQL, which runs on the JVM alone.

Run by benchmarks/nexmark.py; prints one line of JSON: for each query the seconds over each set of files, or its error.
The same statements run on both engines; only the imports differ.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
    parser.add_argument("--statements", type=Path, required=True, help="JSON: tables of each set, queries")
    parser.add_argument("--parallelism", type=int, default=2)
    parser.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    return parser.parse_args()


def environment(options: argparse.Namespace):
    if options.engine == "flott":
        from flott.common import Configuration
        from flott.table import EnvironmentSettings, TableEnvironment
    else:
        from pyflink.common import Configuration
        from pyflink.table import EnvironmentSettings, TableEnvironment
    configuration = Configuration()
    configuration.set_string("parallelism.default", str(options.parallelism))
    if options.engine == "flott":
        configuration.set_string("flott.spark.master", f"local[{options.parallelism}]")
    else:
        configuration.set_string("pipeline.object-reuse", "true")
    for option in options.option:
        configuration.set_string(*option.split("=", 1))
    settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration)
    return TableEnvironment.create(settings.build())


def seconds(tables, query: str) -> float:
    """Run a query into nowhere; return the job's own time."""
    table = tables.sql_query(query)
    schema = table.get_resolved_schema()
    pairs = zip(schema.get_column_names(), schema.get_column_data_types(), strict=True)
    columns = ", ".join(f"`{name}` {sql_type(kind)}" for name, kind in pairs)
    tables.execute_sql("DROP TEMPORARY TABLE IF EXISTS nothing")
    tables.execute_sql(f"CREATE TEMPORARY TABLE nothing ({columns}) WITH ('connector' = 'blackhole')")
    client = tables.execute_sql(f"INSERT INTO nothing {query}").get_job_client()
    return client.get_job_execution_result().result().get_net_runtime() / 1000


def warm_up(tables, asked: dict) -> None:
    """Start whatever starts with the first query: it belongs to none."""
    for statement in next(iter(asked["tables"].values())):
        tables.execute_sql(statement)
    seconds(tables, "SELECT id FROM auction")


def sql_type(kind) -> str:
    name = type(kind).__name__.removesuffix("Type").upper()
    if name == "DECIMAL":
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if name in {"TIMESTAMP", "LOCALZONEDTIMESTAMP"}:
        return f"{'TIMESTAMP' if name == 'TIMESTAMP' else 'TIMESTAMP_LTZ'}({kind.precision})"
    return {"VARCHAR": "STRING", "CHAR": "STRING"}.get(name, name)


def main() -> None:
    options = arguments()
    asked = json.loads(options.statements.read_text())
    tables = environment(options)
    warm_up(tables, asked)
    told: dict[str, dict] = {}
    for name, query in asked["queries"].items():
        told[name] = {}
        for size in asked["over"][name]:
            for statement in asked["tables"][size]:
                tables.execute_sql(statement)
            try:
                told[name][size] = seconds(tables, query)
            except Exception as error:  # noqa: BLE001 - whatever an engine can't run is left out, with its reason
                told[name]["error"] = " ".join(str(error).split())[-300:]
                break
    total = sum(value for times in told.values() for value in times.values() if isinstance(value, float))
    print(json.dumps({"net_seconds": total, "queries": told}))


main()
