"""Functions that decide where a record goes: key selectors and partitioners."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from flott.datastream.functions.base import Function

__all__ = ["KeySelector", "NullByteKeySelector", "Partitioner"]


class KeySelector(Function):
    """Takes the key from a record. The same record must always give the same key, and keys must be hashable.

    >>> class ByUser(KeySelector):
    ...     def get_key(self, value):
    ...         return value["user"]
    >>> ByUser().get_key({"user": "ann", "amount": 3})
    'ann'
    """

    @abstractmethod
    def get_key(self, value: Any) -> Any:
        """Returns the key of a record."""


class NullByteKeySelector(KeySelector):
    """Gives every record the same key, so that all of them meet in one subtask.

    >>> NullByteKeySelector().get_key("anything")
    0
    """

    def get_key(self, value: Any) -> int:
        """Returns 0."""
        return 0


class Partitioner(Function):
    """Chooses the subtask that a record goes to, by its key.

    >>> class Modulo(Partitioner):
    ...     def partition(self, key, num_partitions):
    ...         return key % num_partitions
    >>> Modulo().partition(7, 4)
    3
    """

    @abstractmethod
    def partition(self, key: Any, num_partitions: int) -> int:
        """Returns the number of the subtask, from 0 up to but not including ``num_partitions``."""
