"""Flink's streaming model in Python, executed by Apache Spark."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str


def __getattr__(name: str) -> str:
    """Look the version up when somebody asks for it: finding an installed package takes longer than importing this."""
    if name != "__version__":
        raise AttributeError(f"module 'flott' has no attribute '{name}'", name=name, obj=sys.modules[__name__])
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("flott")
    except PackageNotFoundError:  # run from a checkout that was never installed
        found = "0+unknown"
    globals()["__version__"] = found
    return found
