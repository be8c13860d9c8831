"""Flink's streaming model in Python, executed by Apache Spark."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("flott")
except PackageNotFoundError:  # run from a checkout that was never installed
    __version__ = "0+unknown"
