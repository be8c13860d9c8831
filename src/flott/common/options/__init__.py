"""Every option that Flott reads, in groups; the configuration reference is made from these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.config_options import ConfigOption
from flott.common.options.checkpointing import CheckpointingOptions
from flott.common.options.driver import DriverOptions
from flott.common.options.flott import FlottOptions
from flott.common.options.logs import LogOptions
from flott.common.options.metrics import MetricOptions
from flott.common.options.pipeline import CoreOptions, ExecutionOptions, PipelineOptions
from flott.common.options.python import PythonOptions
from flott.common.options.rest import RestOptions
from flott.common.options.restart import RestartStrategyOptions
from flott.common.options.state import StateBackendOptions, StateRecoveryOptions
from flott.common.options.table import TableOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "OPTION_GROUPS",
    "CheckpointingOptions",
    "CoreOptions",
    "DriverOptions",
    "ExecutionOptions",
    "FlottOptions",
    "LogOptions",
    "MetricOptions",
    "PipelineOptions",
    "PythonOptions",
    "RestOptions",
    "RestartStrategyOptions",
    "StateBackendOptions",
    "StateRecoveryOptions",
    "TableOptions",
    "all_options",
    "options_of",
]

OPTION_GROUPS: tuple[type, ...] = (
    CoreOptions,
    PipelineOptions,
    ExecutionOptions,
    CheckpointingOptions,
    RestartStrategyOptions,
    StateBackendOptions,
    StateRecoveryOptions,
    TableOptions,
    PythonOptions,
    MetricOptions,
    LogOptions,
    RestOptions,
    DriverOptions,
    FlottOptions,
)
"""The groups, in the order of the reference; a group's docstring is its introduction."""


def options_of(group: type) -> Iterator[ConfigOption[Any]]:
    """Yields the options of a group, in the order they are declared."""
    for value in vars(group).values():
        if isinstance(value, ConfigOption):
            yield value


def all_options() -> list[ConfigOption[Any]]:
    """Returns every option of every group.

    >>> next(o for o in all_options() if o.key == "pipeline.auto-watermark-interval").default
    Duration(PT0.2S)
    """
    return [option for group in OPTION_GROUPS for option in options_of(group)]
