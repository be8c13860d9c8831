"""The name the engine gives to a job."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field

__all__ = ["JobID"]

_HEX = re.compile(r"[0-9a-f]{32}")


def _random_hex() -> str:
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True, order=True)
class JobID:
    """Names one job: 32 hexadecimal digits, random unless given.

    >>> job = JobID.from_hex("00000000000000000000000000C0FFEE")
    >>> str(job)
    '00000000000000000000000000c0ffee'
    >>> JobID() == JobID()
    False
    """

    hex: str = field(default_factory=_random_hex)

    def __post_init__(self) -> None:
        if not _HEX.fullmatch(self.hex):
            raise ValueError(f"a job id has 32 hexadecimal digits in lower case, not '{self.hex}'")

    @staticmethod
    def generate() -> JobID:
        """Returns a new random job id."""
        return JobID()

    @staticmethod
    def from_hex(text: str) -> JobID:
        """Returns the job id that was written as 32 hexadecimal digits."""
        return JobID(text.strip().lower())

    @staticmethod
    def is_valid(text: str) -> bool:
        """Says whether a text is a job id as `str` writes it."""
        return _HEX.fullmatch(text) is not None

    def __str__(self) -> str:
        return self.hex
