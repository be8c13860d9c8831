"""User functions that read the keyed state of a savepoint, key by key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions import Function

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["KeyedStateReaderFunction"]


class KeyedStateReaderFunction(Function):
    """Called for each key of an operator: declares states in ``open`` as the job does, and yields what it finds.

    >>> from flott.common import Types
    >>> from flott.datastream.state import ValueStateDescriptor
    >>> class Totals(KeyedStateReaderFunction):
    ...     def open(self, runtime_context):
    ...         self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))
    ...
    ...     def read_key(self, key, ctx):
    ...         yield key, self.total.value()
    """

    class Context(ABC):
        """What a call knows besides the key."""

        @abstractmethod
        def registered_event_time_timers(self) -> set[int]:
            """Returns the moments of the key's event-time timers."""

        @abstractmethod
        def registered_processing_time_timers(self) -> set[int]:
            """Returns the moments of the key's processing-time timers."""

    @abstractmethod
    def read_key(self, key: Any, ctx: Context) -> Iterable[Any] | None:
        """Yields what is wanted of a key."""
