"""Published or aborted, never both: what is decided about a checkpoint by the thread that writes it and by the loop."""

from __future__ import annotations

import threading
from enum import Enum, auto
from typing import TYPE_CHECKING

from flott.runtime.storage import UncertainWriteError

if TYPE_CHECKING:
    from collections.abc import Callable


class State(Enum):
    """How far the decision is."""

    OPEN = auto()
    PUBLISHED = auto()
    ABORTED = auto()
    UNKNOWN = auto()
    """The write that publishes has failed, and may take effect all the same."""


class Decision:
    """Whoever comes first decides; whoever comes second learns it, and waits for it if need be."""

    def __init__(self) -> None:
        self._deciding = threading.Lock()
        self._state = State.OPEN

    def publish(self, act: Callable[[], None]) -> bool:
        """Publish, unless it was aborted; return whether it was published."""
        with self._deciding:
            if self._state is State.ABORTED:
                return False
            try:
                act()
            except UncertainWriteError:
                self._state = State.UNKNOWN
                raise
            self._state = State.PUBLISHED
            return True

    def abort(self, settle: Callable[[], bool]) -> bool:
        """Abort, unless it was published; return whether it was. ``settle`` finds out where the outcome is unknown."""
        with self._deciding:
            if self._state is State.UNKNOWN:
                self._state = State.PUBLISHED if settle() else State.ABORTED
            elif self._state is State.OPEN:
                self._state = State.ABORTED
            return self._state is State.PUBLISHED
