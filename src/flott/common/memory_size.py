"""An amount of memory: `512 kb`, `1 gb`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flott.common.constants import MAX_LONG_VALUE

__all__ = ["MemorySize"]

# From large to small. The first name of a unit is the one we write.
_UNITS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1 << 40, ("tb", "t", "tebibytes")),
    (1 << 30, ("gb", "g", "gibibytes")),
    (1 << 20, ("mb", "m", "mebibytes")),
    (1 << 10, ("kb", "k", "kibibytes")),
    (1, ("bytes", "b")),
)
_BYTES_OF = {name: size for size, names in _UNITS for name in names}
_AMOUNT = re.compile(r"(?P<number>[0-9]+)\s*(?P<unit>[^\s0-9]*)")


@dataclass(frozen=True, slots=True, order=True)
class MemorySize:
    """A number of bytes, readable in units of 1024.

    >>> MemorySize.parse("1 gb").get_mebi_bytes()
    1024
    >>> str(MemorySize.of_mebi_bytes(2048))
    '2 gb'
    >>> MemorySize(bytes_size=1536) < MemorySize.parse("2k")
    True
    """

    bytes_size: int

    def __post_init__(self) -> None:
        if not 0 <= self.bytes_size <= MAX_LONG_VALUE:
            raise ValueError(f"a memory size is between 0 and 2^63-1 bytes, not {self.bytes_size}")

    @staticmethod
    def of_mebi_bytes(mebi_bytes: int) -> MemorySize:
        """Returns a size of so many times 1024 * 1024 bytes."""
        return MemorySize(mebi_bytes << 20)

    @staticmethod
    def parse(text: str) -> MemorySize:
        """Reads `1 gb`, `512k` and the like; a number without a unit is bytes."""
        amount = _AMOUNT.fullmatch(text.strip())
        if not amount:
            raise ValueError(
                f"'{text}' is no memory size: write a whole number and a unit, such as '512 kb', '64 mb' or '1 gb'"
            )
        unit = amount["unit"].lower()
        if unit and unit not in _BYTES_OF:
            known = ", ".join(names[0] for _, names in reversed(_UNITS))
            raise ValueError(f"'{text}' has the unknown memory unit '{unit}'; use {known}")
        return MemorySize(int(amount["number"]) * _BYTES_OF.get(unit, 1))

    def get_bytes(self) -> int:
        """Returns the size in bytes."""
        return self.bytes_size

    def get_kibi_bytes(self) -> int:
        """Returns the size in whole units of 1024 bytes."""
        return self.bytes_size >> 10

    def get_mebi_bytes(self) -> int:
        """Returns the size in whole units of 1024 ** 2 bytes."""
        return self.bytes_size >> 20

    def get_gibi_bytes(self) -> int:
        """Returns the size in whole units of 1024 ** 3 bytes."""
        return self.bytes_size >> 30

    def get_tebi_bytes(self) -> int:
        """Returns the size in whole units of 1024 ** 4 bytes."""
        return self.bytes_size >> 40

    def __str__(self) -> str:
        fitting = (unit for unit in _UNITS if self.bytes_size and self.bytes_size % unit[0] == 0)
        size, names = next(fitting, _UNITS[-1])
        return f"{self.bytes_size // size} {names[0]}"
