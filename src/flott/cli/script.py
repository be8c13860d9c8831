"""Runs a user's program in this process, and shows its errors without the frames of whoever runs it."""

from __future__ import annotations

import runpy
import sys
import traceback
from pathlib import Path

import click

import flott
from flott.cli.suggestions import suggestion
from flott.common.pyflink_imports import explain, install_pyflink_imports
from flott.datastream._steps import Steps
from flott.errors import FlottError

PACKAGE = str(Path(flott.__file__).parent)


class ProgramError(Exception):
    """A program raised something that is not an error of Flott."""


def run_script(job: Path, arguments: tuple[str, ...], *, pyflink: bool = False) -> None:
    """Run a file as Python itself would; with ``pyflink``, its imports from pyflink are Flott's.

    Raises:
        ProgramError: The program failed with an error of its own. The message is its traceback, from the first line of
            the program on.
    """
    sys.argv = [str(job), *arguments]
    sys.path.insert(0, str(job.resolve().parent))
    if pyflink:
        install_pyflink_imports()
    try:
        runpy.run_path(str(job), run_name="__main__")
    except FlottError:
        raise
    except Exception as error:
        message = explain(error) if pyflink and isinstance(error, ImportError | AttributeError) else None
        if message is not None:
            raise FlottError(f"{job}, line {line_in(job, error)}: {message}") from error
        raise ProgramError(user_traceback(error, job)) from error


def warn_if_nothing_ran(job: Path) -> None:
    """Print one line if the program built a job and never executed it."""
    if Steps.unexecuted:
        click.echo(
            f"{job.name} ended without running anything: it builds a job, but never calls env.execute(). "
            "Add it as the last line.",
            err=True,
        )


def line_in(job: Path, error: BaseException) -> int | None:
    """Return the line of the program that an error came through."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == str(job)), None)


def user_traceback(error: BaseException, job: Path) -> str:
    """Return the traceback of a program: from its own first line on, without frames of Flott."""
    shown = traceback.TracebackException.from_exception(error)
    waiting = [shown]
    while waiting:
        one = waiting.pop()
        frames = [frame for frame in from_program(one.stack, job) if not frame.filename.startswith(PACKAGE)]
        one.stack = traceback.StackSummary.from_list(frames)
        waiting += [linked for linked in (one.__cause__, one.__context__) if linked is not None]
    text = "".join(shown.format()).rstrip()
    hint = suggestion(error)
    return text if hint is None else f"{text}\n{hint}"


def from_program(stack: traceback.StackSummary, job: Path) -> list[traceback.FrameSummary]:
    """Return the frames from the first one of the program on; an empty list if it never began."""
    frames = list(stack)
    first = next((place for place, frame in enumerate(frames) if frame.filename == str(job)), len(frames))
    return frames[first:]
