"""Reading data in splits, the way batch connectors do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["InputFormat"]

T = TypeVar("T")


class InputFormat(ABC, Generic[T]):
    """Cuts an input into splits, and reads the records of one split after the other.

    >>> class Words(InputFormat[str]):
    ...     def create_input_splits(self, min_num_splits):
    ...         return ["a b", "c"]
    ...
    ...     def open(self, split):
    ...         self.rest = split.split()
    ...
    ...     def reached_end(self):
    ...         return not self.rest
    ...
    ...     def next_record(self):
    ...         return self.rest.pop(0)
    >>> words = Words()
    >>> words.open(words.create_input_splits(2)[0])
    >>> words.next_record(), words.next_record(), words.reached_end()
    ('a', 'b', True)
    """

    @abstractmethod
    def create_input_splits(self, min_num_splits: int) -> Sequence[Any]:
        """Cuts the input into splits, if possible at least so many."""

    @abstractmethod
    def open(self, split: Any) -> None:
        """Starts to read a split."""

    @abstractmethod
    def reached_end(self) -> bool:
        """Says whether the split has no record left."""

    @abstractmethod
    def next_record(self) -> T:
        """Returns the next record of the split."""

    def close(self) -> None:
        """Ends the reading of a split."""
