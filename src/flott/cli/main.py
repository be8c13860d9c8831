"""The ``flott`` command."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from flott import __version__
from flott.cli.completion import completion
from flott.cli.detached import command_of, run_detached
from flott.cli.doctor import REST_PORTS, doctor
from flott.cli.jobs import checkpoints, info, list_jobs
from flott.cli.new import new
from flott.cli.output import AS_JSON, CANCELED, INTERRUPTED, fail
from flott.cli.plan import plan_of
from flott.cli.run_progress import progress
from flott.cli.settings import applied, settings_of, with_settings
from flott.cli.sql import sql
from flott.cli.state import state
from flott.cli.steer import cancel, savepoint, stop
from flott.common.options import RestOptions
from flott.common.pyflink_imports import explain, install_pyflink_imports
from flott.errors import FlottError, JobCanceledError
from flott.graph.draw_mermaid import draw_mermaid
from flott.graph.draw_svg import draw_svg
from flott.graph.draw_text import draw_text
from flott.graph.explain_json import execution_plan_json
from flott.graph.job_graph import build_job_graph

JOB = click.argument("job", type=click.Path(exists=True, dir_okay=False, path_type=Path))
ARGUMENTS = click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
PYFLINK = click.option(
    "--pyflink", is_flag=True, help="The program was written for PyFlink: what it imports from pyflink is Flott's."
)
PASS_ON = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="flott")
def main() -> None:
    r"""Flink's streaming model in Python, executed by Apache Spark.

    \b
    Exit codes: 0 done, 1 failed, 2 wrong use, 3 no such job, 4 the job can't be reached, 5 the job was cancelled.
    """


for command in (list_jobs, info, checkpoints, cancel, stop, savepoint, state, sql, new, doctor, completion):
    main.add_command(command)


@main.command(context_settings={"allow_interspersed_args": False})
@with_settings
@PYFLINK
@click.option("-d", "--detached", is_flag=True, help="Come back when the job runs; it goes on in the background.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing about the progress.")
@AS_JSON
@JOB
@ARGUMENTS
def run(
    job: Path,
    arguments: tuple[str, ...],
    *,
    pyflink: bool,
    detached: bool,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    r"""Run the program in file JOB; what follows JOB goes to the program.

    What the program sets itself wins over the options. The web page and the REST API of its jobs are on the first free
    port from 8081 on; -D rest.port=0 takes any other.

    \b
    flott run examples/orders_demo.py --seconds 5
    flott run -p 4 -s /data/savepoints/savepoint-1 job.py
    flott run -D execution.checkpointing.interval=1s -D execution.checkpointing.dir=/data/checkpoints job.py
    flott run -d job.py
    flott run --pyflink pyflink_job.py

    \b
    Exit codes: 0 the program ended well, 1 it failed, 2 wrong use, 5 its job was cancelled, 130 Ctrl-C.
    """
    configuration = settings_of(**settings, pyflink=pyflink)
    if detached:
        words = command_of(job.resolve(), arguments, pyflink=pyflink, settings=settings)
        run_detached(words, job.stem, as_json=as_json)
        return
    if not any(configuration.contains(option) for option in (RestOptions.PORT, RestOptions.BIND_PORT)):
        configuration.set(RestOptions.BIND_PORT, REST_PORTS)
    try:
        with applied(configuration), progress(quiet=quiet or as_json):
            run_script(job, arguments, pyflink=pyflink)
    except JobCanceledError as error:
        fail(str(error), CANCELED)
    except FlottError as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        sys.exit(INTERRUPTED)


@main.command(context_settings=PASS_ON)
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
        job_graph = build_job_graph(stream_graph)
    except FlottError as error:
        raise click.ClickException(str(error)) from error
    drawn = {
        "text": lambda: draw_text(job_graph),
        "mermaid": lambda: draw_mermaid(job_graph),
        "svg": lambda: draw_svg(job_graph),
        "json": lambda: execution_plan_json(stream_graph),
    }[form]()
    if output is None:
        click.echo(drawn)
    else:
        output.write_text(drawn, encoding="utf-8")
        click.echo(f"written to {output}", err=True)


def run_script(job: Path, arguments: tuple[str, ...], *, pyflink: bool = False) -> None:
    """Run a file as Python itself would run it; what it imports from pyflink is Flott's, if that is wanted."""
    sys.argv = [str(job), *arguments]
    sys.path.insert(0, str(job.resolve().parent))
    if not pyflink:
        runpy.run_path(str(job), run_name="__main__")
        return
    install_pyflink_imports()
    try:
        runpy.run_path(str(job), run_name="__main__")
    except (ImportError, AttributeError) as error:
        message = explain(error)
        if message is None:
            raise
        raise FlottError(f"{job}, line {line_in(job, error)}: {message}") from error


def line_in(job: Path, error: BaseException) -> int | None:
    """Return the line of the program that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == str(job)), None)


def keep_lines(command: click.Command) -> None:
    r"""Let examples in help texts stay as they are written: in raw docstrings \b is not yet the sign for that."""
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        keep_lines(inner)


keep_lines(main)

if __name__ == "__main__":
    main()
