"""What the conformance kit has to know of a connector."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from flott.connectors.base import Sink, Source


class ConformanceError(AssertionError):
    """A connector does not keep the contract."""


@dataclass(frozen=True, slots=True)
class SourceCase:
    """A source under test, and what is in it.

    >>> from flott.datastream.connectors import NumberSequenceSource
    >>> SourceCase(lambda: NumberSequenceSource(1, 3), expected=[1, 2, 3]).outlives_driver
    True
    """

    make: Callable[[], Source]
    """Makes the source: each time one over the same input, from its beginning."""
    expected: Iterable[Any]
    """All records of the input, in any order; of a source without end, those that are there already."""
    more: Callable[[], Sequence[Any]] | None = None
    """Lets more records arrive, and says which; for a source without end."""
    outlives_driver: bool = True
    """A new enumerator can go on where another one was. Not so where the input itself is gone, as with a socket."""
    patience: float = 60.0
    """Seconds to wait for records that must come."""


@dataclass(frozen=True, slots=True)
class SinkCase:
    """A sink under test, and how to look at its output.

    >>> from flott.datastream.connectors.discard import DiscardingSink
    >>> case = SinkCase(DiscardingSink, read=lambda: [], exactly_once=False)
    """

    make: Callable[[], Sink]
    """Makes the sink: each time one with the same output."""
    read: Callable[[], Iterable[Any]]
    """Gives the records that somebody outside sees now."""
    record: Callable[[int], Any] = field(default=str)
    """Makes the record of a number: what is written, and what ``read`` gives back."""
    exactly_once: bool = True
    """Each record shows once, whatever fails; else at least once."""
    leftovers: Callable[[], Iterable[Any]] = field(default=tuple)
    """Gives what lies hidden and is not committed, if that can be found out: must be nothing in the end."""


def alike(found: Iterable[Any], wanted: Iterable[Any]) -> bool:
    """Say whether both hold the same records, in any order; records need not be hashable."""
    return sorted(map(repr, found)) == sorted(map(repr, wanted))


def expect(condition: bool, message: str) -> None:
    """Raise ConformanceError unless a condition holds."""
    if not condition:
        raise ConformanceError(message)


def difference(found: Iterable[Any], wanted: Iterable[Any]) -> str:
    """Describe shortly what is missing and what is too much."""
    left = sorted(map(repr, found))
    missing = []
    for one in sorted(map(repr, wanted)):
        if one in left:
            left.remove(one)
        else:
            missing.append(one)
    return f"{len(missing)} records are missing{_some(missing)}, {len(left)} too many{_some(left)}"


def _some(records: list[str]) -> str:
    shown = 3
    if not records:
        return ""
    return f" ({', '.join(one[:60] for one in records[:shown])}{', …' if len(records) > shown else ''})"
