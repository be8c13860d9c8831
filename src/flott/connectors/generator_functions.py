"""Functions that make a record from its index."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import repeat
from random import Random
from typing import TYPE_CHECKING, Any

from flott.runtime.emission import emission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class GeneratorFunction(ABC):
    """Makes the record of an index. It must make the same one each time: an epoch may be read again.

    A function may also have ``map_range(start, stop)``, which returns the list of records from ``start`` up to,
    not including, ``stop``; it is then called instead of ``map``, once for thousands of records.
    """

    @abstractmethod
    def map(self, value: int) -> Any:
        """Return the record of an index; the first index is 0."""


class SeededGenerator(GeneratorFunction):
    """Random records that can be made again: the same seed and index always give the same record.

    ``function(random, index)`` draws from the generator it is handed and from nothing else.

    >>> dice = SeededGenerator(7, lambda random, index: random.randint(1, 6))
    >>> dice.map_range(0, 100)[40:42] == [dice.map(40), dice.map(41)]
    True
    """

    RUN = 64
    """Indexes that share one seeding, which takes as long as a dozen draws."""

    def __init__(self, seed: int, function: Callable[[Random, int], Any]) -> None:
        self.seed = seed
        self.function = function

    def map(self, value: int) -> Any:
        return self.map_range(value, value + 1)[0]

    def map_range(self, start: int, stop: int) -> list[Any]:
        """Return the records of a range of indexes."""
        random = Random()  # noqa: S311 - not a secret
        records: list[Any] = []
        for first in range(start - start % self.RUN, stop, self.RUN):
            random.seed((self.seed << 64) + first)
            # A run is always made from its beginning, so that what was drawn before an index is the same.
            run = range(first, min(first + self.RUN, stop))
            made = gather(map(self.function, repeat(random), run), run)
            records += made[start - first :] if first < start else made
        return records


def gather(records: Iterator[Any], run: range) -> list[Any]:
    """Return the records of a run of indexes; what the user's function raises gets a note that names the index."""
    made: list[Any] = []
    try:
        # Each as it is when the function returns it, even if that goes on to change it.
        emission(object_reuse=False).extend(made, records)
    except Exception as error:
        add_note(error, f"raised for index {run[len(made)]} of the data generator")
        raise
    if len(made) != len(run):
        raise RuntimeError(f"the function raised StopIteration for index {run[len(made)]} of the data generator")
    return made


def add_note(error: BaseException, note: str) -> None:
    """Do what ``error.add_note`` does from Python 3.11 on."""
    error.__notes__ = [*getattr(error, "__notes__", []), note]  # type: ignore[attr-defined]
