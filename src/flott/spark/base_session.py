"""The session of the program itself, next to which epochs run in sessions of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from flott.spark.session import embedded_session

if TYPE_CHECKING:
    from flott.common import Configuration


def base_session(configuration: Configuration) -> SparkSession:
    """Return the session of the program: it knows the tables and temporary views that the user knows."""
    return SparkSession.getActiveSession() or embedded_session(configuration)
