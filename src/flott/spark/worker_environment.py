"""What a job's settings change in the Python workers that run it: their path, directory and log levels."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark import SparkFiles

from flott.common.options import PythonOptions
from flott.errors import ConfigurationError
from flott.spark.dependencies import entries

if TYPE_CHECKING:
    from flott.common import Configuration

ROOT = ""
"""Stands for the logger that all others are below."""

_before: dict[str, int] = {}
"""The levels that loggers had before a job changed them."""
_home: list[str] = []
"""The directory in which this process was started, once a job has changed it."""


@dataclass(frozen=True, slots=True)
class WorkerEnvironment:
    """The settings of a job that hold for the process in which its functions run."""

    paths: tuple[str, ...] = ()
    """Directories on the path of modules, the first one first."""
    levels: tuple[tuple[str, int], ...] = ()
    """Loggers and their levels."""
    in_archives: bool = False
    """Whether functions run in the directory in which the job's archives are unpacked."""

    @staticmethod
    def of(configuration: Configuration) -> WorkerEnvironment:
        """Read the settings from a configuration."""
        overrides = configuration.get(PythonOptions.PYTHON_LOGGING_LEVEL_OVERRIDE)
        levels: dict[str, str] = {} if overrides is None else dict(overrides)
        default = configuration.get(PythonOptions.PYTHON_LOGGING_DEFAULT_LEVEL)
        if default is not None:
            levels[ROOT] = default
        return WorkerEnvironment(
            tuple(path for path in (configuration.get(PythonOptions.PYTHON_PATH) or "").split(os.pathsep) if path),
            tuple(sorted((name, level_of(name, level)) for name, level in levels.items())),
            bool(entries(configuration.get(PythonOptions.PYTHON_ARCHIVES))),
        )

    def enter(self) -> None:
        """Make this process what the job wants: another job may have changed it since."""
        sys.path[:0] = [path for path in self.paths if path not in sys.path]
        self._enter_directory()
        self._set_levels()

    def _enter_directory(self) -> None:
        if self.in_archives:
            if not _home:
                _home.append(str(Path.cwd()))
            os.chdir(SparkFiles.getRootDirectory())
        elif _home:
            os.chdir(_home.pop())

    def _set_levels(self) -> None:
        for name, level in _before.items():
            logging.getLogger(name).setLevel(level)
        _before.clear()
        for name, level in self.levels:
            logger = logging.getLogger(name)
            _before[name] = logger.level
            logger.setLevel(level)
        # Python's last resort only writes warnings and errors.
        if self.levels and not logging.getLogger().handlers:
            logging.getLogger().addHandler(logging.StreamHandler())


def level_of(name: str, text: str) -> int:
    """Return the level that a word stands for.

    >>> level_of("", "debug")
    10
    """
    level = logging.getLevelName(text.upper())
    if isinstance(level, int):
        return level
    where = f"{PythonOptions.PYTHON_LOGGING_LEVEL_OVERRIDE.key}.{name}"
    key = PythonOptions.PYTHON_LOGGING_DEFAULT_LEVEL.key if name == ROOT else where
    message = f"option '{key}' is '{text}'; give DEBUG, INFO, WARNING, ERROR or CRITICAL"
    raise ConfigurationError(message)
