"""The states that the windows' own machinery keeps, described as users describe theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class ValueStateDescriptor:
    """Describes one value."""

    name: str

    def get_name(self) -> str:
        """Return the name of the state."""
        return self.name


@dataclass(frozen=True, slots=True)
class ReducingStateDescriptor:
    """Describes one value into which others are reduced."""

    name: str
    reduce: Callable[[Any, Any], Any]

    def get_name(self) -> str:
        """Return the name of the state."""
        return self.name

    def get_reduce_function(self) -> ReducingStateDescriptor:
        """Return what has the function ``reduce``."""
        return self
