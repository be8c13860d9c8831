"""Whole queries of Spark SQL, in a session of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pyspark.errors import PySparkException

from flott.errors import GraphError
from flott.spark.frame_writes import first_line
from flott.spark.session import base_session, is_remote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from flott.common import Configuration

MEANING = {
    # Whole numbers wrap, as they do in Flink and in our operators.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.caseSensitive": "true",
}
"""Settings that say what SQL means."""


class QuerySource(Protocol):
    """A table of a query."""

    def frame(self, session: Any) -> Any:
        """Return its rows as a DataFrame of a session."""


def run_query(text: str, sources: Mapping[str, QuerySource], zone: str, configuration: Configuration) -> DataFrame:
    """Return what a query gives over some tables; nothing is computed yet."""
    session = _session(zone, configuration)
    try:
        for name, source in sources.items():
            source.frame(session).createOrReplaceTempView(name)
        return session.sql(text)
    except PySparkException as error:
        raise GraphError(f"Spark can't run the query: {first_line(error)}") from None


def _session(zone: str, configuration: Configuration) -> SparkSession:
    base = base_session(configuration)
    if is_remote(base):
        raise GraphError("a session of Spark Connect has only one set of settings")
    session = base.newSession()
    for key, value in {**MEANING, "spark.sql.session.timeZone": zone}.items():
        session.conf.set(key, value)
    return session
