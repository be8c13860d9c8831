"""Settings that the command line gives a program: below its own, above the defaults."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from flott.cli.known_settings import complete_setting, unknown_setting
from flott.common import Configuration
from flott.common.known_settings import reported
from flott.common.options import CoreOptions, DriverOptions, FlottOptions, StateRecoveryOptions
from flott.connectors.paths import absolute
from flott.datastream import StreamExecutionEnvironment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

IN_PROCESS = "in-process"
OPTIONS = (
    click.option("-p", "--parallelism", type=click.IntRange(min=1), help="How many subtasks each operator has."),
    click.option("--master", help="Where Spark runs: local[4], spark://host:7077, yarn, k8s://…"),
    click.option("--local", "local", is_flag=True, help="Run in this process, without Spark: starts within a second."),
    click.option(
        "-s",
        "--from-savepoint",
        "savepoint",
        metavar="PATH",
        help="Start from this savepoint, or from a checkpoint that was retained.",
    ),
    click.option(
        "-n",
        "--allow-non-restored-state",
        "allow",
        is_flag=True,
        help="Leave state behind that the program has no operator for.",
    ),
    click.option(
        "--claim-mode",
        type=click.Choice(["CLAIM", "NO_CLAIM"]),
        help="CLAIM: the job owns the savepoint, and deletes it once it is not needed.",
    ),
    click.option(
        "--new",
        "new",
        is_flag=True,
        help="Start another job instead of resuming the one of this name in the checkpoint directory.",
    ),
    click.option(
        "-D",
        "properties",
        metavar="KEY=VALUE",
        multiple=True,
        help="Any setting; may be repeated.",
        shell_complete=complete_setting,
    ),
)


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for settings to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def settings_of(
    parallelism: int | None,
    master: str | None,
    savepoint: str | None,
    *,
    allow: bool,
    claim_mode: str | None,
    properties: tuple[str, ...],
    local: bool = False,
    new: bool = False,
    pyflink: bool = False,
) -> Configuration:
    """Return what the command line says as a configuration.

    >>> settings_of(4, None, None, allow=False, claim_mode=None, properties=("pipeline.name=x",)).to_dict()
    {'pipeline.name': 'x', 'parallelism.default': '4'}
    """
    configuration = with_properties(properties)
    if parallelism is not None:
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism)
    if local and master is not None:
        raise click.UsageError("--local runs without Spark, and --master says where Spark runs: give one of them")
    if local:
        configuration.set(FlottOptions.EXECUTION_TARGET, IN_PROCESS)
    if master is not None:
        configuration.set(FlottOptions.SPARK_MASTER, master)
    if savepoint is not None:
        configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, absolute(savepoint))
    if allow:
        configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, True)
    if claim_mode is not None:
        configuration.set(StateRecoveryOptions.RESTORE_MODE, claim_mode)
    if new:
        configuration.set(DriverOptions.NEW_JOB, True)
    if pyflink:
        configuration.set(FlottOptions.PYFLINK_IMPORTS, True)
    return configuration


def with_properties(properties: tuple[str, ...]) -> Configuration:
    """Return a configuration with the settings of ``-D``; warn of those that Flott does not have."""
    configuration = Configuration()
    for text in properties:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise click.BadParameter(f"'{text}' has no value: write -D key=value", param_hint="-D")
        configuration.set_string(key.strip(), value.strip())
        unknown = unknown_setting(key.strip())
        if unknown is not None:
            click.echo(f"Warning: {unknown}", err=True)
            reported.add(key.strip())
    return configuration


@contextmanager
def applied(configuration: Configuration) -> Iterator[None]:
    """Let environments that are made from here on start from these settings."""
    before = StreamExecutionEnvironment.context_configuration
    StreamExecutionEnvironment.context_configuration = configuration
    try:
        yield
    finally:
        StreamExecutionEnvironment.context_configuration = before
