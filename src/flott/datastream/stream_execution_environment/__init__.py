"""The environment of a program: it makes streams, holds settings, and executes what was built."""

from __future__ import annotations

from flott.datastream.stream_execution_environment.environment import StreamExecutionEnvironment

__all__ = ["StreamExecutionEnvironment"]
