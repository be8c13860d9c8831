"""Runs a bounded query in batch mode as one query of Spark SQL; what it gives is the input of the job."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from flott.common.options import FlottOptions
from flott.table.physical.step import Step
from flott.table.plan.nodes import Field
from flott.table.runtime.conversion import RecordsToColumns
from flott.table.spark_sql.query import spark_query
from flott.table.spark_sql.spark_types import UntranslatableError

if TYPE_CHECKING:
    from flott.common.configuration import Configuration
    from flott.table.physical.translate import Settings
    from flott.table.plan.nodes import Node
    from flott.table.spark_sql.query import SparkQuery


def whole_query(node: Node, settings: Settings, configuration: Configuration) -> SparkQuery | str:
    """Return a plan as a query of Spark SQL, or say why Flott's own operators have to run it."""
    target = configuration.get(FlottOptions.EXECUTION_TARGET)
    if target != "spark":
        return f"the job runs {target}, not on Spark"
    try:
        return spark_query(node, settings.connectors, settings.zone)
    except UntranslatableError as reason:
        return str(reason)


def query_frame(query: SparkQuery, settings: Settings, configuration: Configuration) -> Any:
    """Return what a query gives, as a DataFrame; GraphError if Spark finds something wrong with it."""
    from flott.spark.queries import run_query

    return run_query(query.text, query.sources, settings.zone, configuration)


def query_step(node: Node, frame: Any = None) -> Step:
    """Return the step that reads what a query gives."""
    source = Step(
        "SparkSql", "", node.fields, append_only=True, source=lambda env: env.from_spark(frame, None, "Spark")
    )
    named = tuple(Field(f"c{place}", field.type) for place, field in enumerate(node.fields))
    places = tuple(range(len(named)))
    operator = partial(RecordsToColumns, named, source.arrow_types(), places, changelog=False, single=False)
    return replace(source, name="ToColumns", inputs=(source,), operator=operator, exchanges=(None,), source=None)
