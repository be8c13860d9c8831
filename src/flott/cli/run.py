"""``flott run``: runs a program in this process, or starts it in the background."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from flott.cli.detached import command_of, run_detached
from flott.cli.doctor import REST_PORTS
from flott.cli.output import AS_JSON, CANCELED, FAILED, START_AGAIN, show_json
from flott.cli.program_options import ARGUMENTS, JOB, PYFLINK
from flott.cli.run_progress import progress
from flott.cli.script import ProgramError, run_script, warn_if_nothing_ran
from flott.cli.settings import applied, settings_of, with_settings
from flott.cli.stopped import INTERRUPTED, STOPPED
from flott.common.options import RestOptions
from flott.errors import FlottError, JobCanceledError, RunnerLostError
from flott.rest.attach import served_jobs, wait_for_pages

if TYPE_CHECKING:
    from pathlib import Path

    from flott.common import Configuration


@click.command(context_settings={"allow_interspersed_args": False})
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
    flott run --local job.py
    flott run examples/orders_demo.py --seconds 5
    flott run -p 4 -s /data/savepoints/savepoint-1 job.py
    flott run -D execution.checkpointing.interval=1s -D execution.checkpointing.dir=/data/checkpoints job.py
    flott run -d job.py
    flott run --pyflink pyflink_job.py

    \b
    Exit codes: 0 the program ended well, 1 it failed, 2 wrong use, 5 its job was cancelled,
    75 Java ended under the job: start it again, and it resumes from its last checkpoint; 130 Ctrl-C.
    """
    configuration = settings_of(**settings, pyflink=pyflink)
    if detached:
        words = command_of(job.resolve(), arguments, pyflink=pyflink, settings=settings)
        run_detached(words, job.stem, quiet=quiet or as_json, as_json=as_json)
        return
    if not any(configuration.contains(option) for option in (RestOptions.PORT, RestOptions.BIND_PORT)):
        configuration.set(RestOptions.BIND_PORT, REST_PORTS)
    code, error = run_to_end(job, arguments, configuration, pyflink=pyflink, quiet=quiet or as_json)
    wait_for_pages()
    if as_json:
        show_outcome(error)
    elif code == INTERRUPTED:
        click.echo(STOPPED, err=True)
    elif error is not None:
        click.echo(f"Error: {error}", err=True)
    if code in (0, CANCELED) and "pyspark" in sys.modules:
        from flott.spark.archive_later import write_archive_later

        write_archive_later()
    sys.exit(code)


def run_to_end(
    job: Path, arguments: tuple[str, ...], configuration: Configuration, *, pyflink: bool, quiet: bool
) -> tuple[int, str | None]:
    """Run the program; return the exit code, and what to print if it did not end well."""
    try:
        with applied(configuration), progress(quiet=quiet):
            run_script(job, arguments, pyflink=pyflink)
            warn_if_nothing_ran(job)
    except JobCanceledError as error:
        return CANCELED, str(error)
    except RunnerLostError as error:
        return START_AGAIN, str(error)
    except FlottError as error:
        return FAILED, str(error)
    except ProgramError as error:
        return FAILED, f"the program failed\n{error}"
    except KeyboardInterrupt:
        return INTERRUPTED, "interrupted"
    return 0, None


def show_outcome(error: str | None) -> None:
    """Print one JSON object for each job of the program; if there is no job, one with the error."""
    jobs = served_jobs()
    for job in jobs:
        status = job.master.status.name
        failed = {} if status == "FINISHED" else {"error": error}
        show_json({"jid": job.id, "name": job.plan.job_name, "status": status, **failed})
    if error is not None and all(job.master.status.name == "FINISHED" for job in jobs):
        show_json({"error": error})
