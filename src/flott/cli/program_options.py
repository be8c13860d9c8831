"""What commands that run a program have in common: the file, its arguments, and PyFlink's imports."""

from __future__ import annotations

from pathlib import Path

import click

JOB = click.argument("job", type=click.Path(exists=True, dir_okay=False, path_type=Path))
ARGUMENTS = click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
PYFLINK = click.option(
    "--pyflink", is_flag=True, help="The program was written for PyFlink: what it imports from pyflink is Flott's."
)
