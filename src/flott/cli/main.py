"""The ``flott`` command."""

from __future__ import annotations

from typing import Any

import click

from flott.cli.lazy_group import LazyGroup, keep_lines


def print_version(context: click.Context, _: click.Parameter, value: Any) -> None:
    """Print the version and end."""
    if not value or context.resilient_parsing:
        return
    from flott import __version__

    click.echo(f"flott, version {__version__}")
    context.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=print_version, help="Print the version."
)
def main() -> None:
    r"""Flink's streaming model in Python, executed by Apache Spark.

    \b
    Exit codes: 0 done, 1 failed, 2 wrong use, 3 no such job, 4 the job can't be reached, 5 the job was cancelled,
    130 Ctrl-C.
    """


keep_lines(main)

if __name__ == "__main__":
    main()
