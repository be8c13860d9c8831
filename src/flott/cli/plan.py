"""Runs a program only until it would execute, and keeps the graph it has built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream import StreamExecutionEnvironment
from flott.errors import GraphError
from flott.graph.stream_graph import generate_stream_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.graph.stream_graph import StreamGraph


class Planned(BaseException):
    """Leaves the program at its first execution; no ``except Exception`` of the user's holds it up."""

    def __init__(self, graph: StreamGraph) -> None:
        super().__init__("planned")
        self.graph = graph


def plan_of(program: Callable[[], None], title: str) -> StreamGraph:
    """Run a program up to its first execution and return the graph it would have executed."""

    def instead(env: StreamExecutionEnvironment, job_name: str | None = None) -> None:
        raise Planned(generate_stream_graph(env.program(job_name)))

    execute = StreamExecutionEnvironment.execute_async
    StreamExecutionEnvironment.execute_async = instead  # type: ignore[assignment,method-assign]
    try:
        program()
    except Planned as planned:
        return planned.graph
    finally:
        StreamExecutionEnvironment.execute_async = execute  # type: ignore[method-assign]
    message = f"{title} ended without executing a job: it has no env.execute() or execute_and_collect() to plan"
    raise GraphError(message)
