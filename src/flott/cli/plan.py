"""``flott plan``: runs a program until it would execute, and draws the graph it has built."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flott.cli.output import FAILED
from flott.cli.program_options import ARGUMENTS, JOB, PYFLINK
from flott.cli.script import ProgramError, run_script
from flott.datastream import StreamExecutionEnvironment
from flott.errors import FlottError, GraphError
from flott.graph.draw_mermaid import draw_mermaid
from flott.graph.draw_svg import draw_svg
from flott.graph.draw_text import draw_text
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.explain_json import execution_plan_json
from flott.graph.stream_graph import generate_stream_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.graph.stream_graph import StreamGraph


PASS_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@click.command(context_settings=PASS_ON)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "mermaid", "svg", "json"]),
    default="text",
    show_default=True,
    help="How to draw the plan; json is the form that Flink's plan visualizer reads.",
)
@click.option("--json", "form", flag_value="json", help="The same as -f json.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file instead.")
@PYFLINK
@JOB
@ARGUMENTS
def plan(job: Path, arguments: tuple[str, ...], *, form: str, output: Path | None, pyflink: bool) -> None:
    r"""Draw the graph of the program in file JOB, without running it.

    The program runs up to its first execute(); what follows JOB goes to it.

    \b
    flott plan examples/orders_demo.py
    flott plan -f svg -o plan.svg examples/orders_demo.py
    """
    try:
        stream_graph = plan_of(lambda: run_script(job, arguments, pyflink=pyflink), str(job))
        epoch_plan = build_epoch_plan(stream_graph)
    except FlottError as error:
        raise click.ClickException(str(error)) from error
    except ProgramError as error:
        click.echo(str(error), err=True)
        sys.exit(FAILED)
    drawn = {
        "text": lambda: draw_text(epoch_plan),
        "mermaid": lambda: draw_mermaid(epoch_plan),
        "svg": lambda: draw_svg(epoch_plan),
        "json": lambda: execution_plan_json(stream_graph),
    }[form]()
    if output is None:
        click.echo(drawn)
    else:
        output.write_text(drawn, encoding="utf-8")
        click.echo(f"written to {output}", err=True)


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
