"""Where a program runs: on Spark, or in this process."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from flott.common.options import FlottOptions
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from flott.common.configuration import Configuration
    from flott.common.job_client import JobClient
    from flott.graph.transformations import Program

    Submit: TypeAlias = Callable[[Program, Configuration], JobClient]

__all__ = ["TARGETS", "submitter"]

TARGETS = {"spark": "flott.spark.submit", "in-process": "flott.testing.cluster"}
"""The module of each target; its function ``submit(program, configuration)`` starts the job.

They are found by name when a program is executed, so that building one loads neither Spark nor the test kit.
"""


def submitter(configuration: Configuration) -> Submit:
    """Return what starts jobs on the target that the configuration names."""
    target = configuration.get(FlottOptions.EXECUTION_TARGET)
    if target not in TARGETS:
        raise ConfigurationError(
            f"option '{FlottOptions.EXECUTION_TARGET.key}' is '{target}'; "
            f"known targets are {', '.join(sorted(TARGETS))}"
        )
    return cast("Submit", import_module(TARGETS[target]).submit)
