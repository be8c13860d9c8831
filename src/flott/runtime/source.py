"""Where data comes from: the driver plans what an epoch reads, the tasks read exactly that."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isfunction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, runtime_checkable

from flott.errors import ExchangeError, FlottError, StateStoreError, UserFunctionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.runtime.batch import Batch


@dataclass(frozen=True, slots=True)
class SplitRead:
    """What one epoch reads of one split: from position ``start`` up to, not including, ``end``.

    Positions mean something only to the source. Equal positions: nothing to read, but the split is alive and
    its watermark counts.
    """

    split: str
    start: Any
    end: Any
    ended: bool = False
    """The split has nothing beyond ``end``, ever."""
    paused: bool = False
    """It waits for slower splits (watermark alignment): that it brings nothing does not make it idle."""


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """What one epoch reads of a source, per subtask."""

    reads: tuple[tuple[SplitRead, ...], ...]
    empty: bool
    """Nothing to read in this epoch."""
    backlog: bool
    """More could be read right away."""
    ended: bool
    """After this epoch the source has nothing more, ever."""
    look_again: int | None = None
    """When it makes sense to plan again, by the clock of ``Enumerator.plan``; None: at the next tick."""
    held: bool = False
    """The source waits for another to be read first: that it brings nothing does not make it idle."""


class Enumerator(Protocol):
    """Lives in the driver: knows the splits of a source and how far each was read."""

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan the next epoch's piece: the source's base amount times ``scale``, less if there is less.

        ``now`` is for intervals and rates: milliseconds that never go back, near the time of day.
        """

    def snapshot(self) -> Any:
        """Return the positions after all that was planned, picklable."""

    def restore(self, state: Any) -> None:
        """Go back to positions that ``snapshot`` returned."""

    def close(self) -> None:
        """Release connections and threads."""


class Source(Protocol):
    """A replayable input: the same read gives the same records, however often and wherever it is done."""

    fresh_batches: ClassVar[bool] = False
    """Whether nobody else has the lists of the batches that ``read`` yields."""

    def is_bounded(self) -> bool:
        """Say whether the input ends by itself."""

    def create_enumerator(self, parallelism: int) -> Enumerator:
        """Return the driver's side of this source."""

    def read(self, read: SplitRead) -> Iterator[Batch]:
        """Give out the records of one planned read, in order."""


@runtime_checkable
class PausesSplits(Protocol):
    """An enumerator that can let some splits wait while it reads on in others."""

    def pause_splits(self, splits: frozenset[str]) -> None:
        """Read nothing of these splits from now on; called before each plan if some are to wait, or did."""


@runtime_checkable
class FindsStart(Protocol):
    """An enumerator whose start depends on when it looks: it looks when the job starts, even if it has to wait then."""

    def find_start(self, now: int) -> None:
        """Find where reading begins; called before a plan that others are made for, and again without harm."""


PARSE_ERRORS = "numParseErrors"
"""The counter of lines and values that could not be read and were ignored, as the user asked."""


@runtime_checkable
class CountsParseErrors(Protocol):
    """What ignores input that can't be read."""

    def take_parse_errors(self) -> int:
        """Return how many were ignored since the last call."""


def raise_named(title: str, error: FlottError | ConnectionError) -> NoReturn:
    """Raise what a connector says went wrong, with the operator's name before it.

    >>> raise_named("operator 'orders'", FlottError("'a.csv' has no column 'id'"))
    Traceback (most recent call last):
    flott.errors.FlottError: operator 'orders': 'a.csv' has no column 'id'
    """
    kind = type(error)
    # One with an __init__ of its own is not made from a message alone.
    if isinstance(error, (UserFunctionError, ExchangeError, StateStoreError)) or isfunction(kind.__init__):
        raise error
    raise kind(f"{title}: {error}") from error
