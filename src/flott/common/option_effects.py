"""What an option does: shown by a test, or nothing, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Accepted", "OptionEffect", "Refused", "Shown"]


@dataclass(frozen=True, slots=True)
class Shown:
    """The option changes what a job does."""

    test: str
    """The id of a test that sets two values and sees two results."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The option may be set and changes nothing; the log says so."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The option may not be set to anything but its default."""

    reason: str


OptionEffect = Shown | Accepted | Refused
