"""Values of keys in memory: what functions read and write, record by record."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from flott.runtime import native
from flott.runtime.state.changed_in_place import may_change

if TYPE_CHECKING:
    from flott.runtime.state.key_scope import KeyScope


def differs(value: Any, stored: bytes | None) -> bool:
    """Return whether a value is not the one that was stored, as a pickle."""
    if stored is None or pickle.dumps(value, 5) == stored:
        return stored is None
    return native.entries is None or native.entries.dumps(value) != stored


class LiveValuesInPython:
    """A value per key: ``_written`` holds this epoch's, ``_read`` those before; whoever inherits has ``_fetch``."""

    __slots__ = ("_handed", "_read", "_scope", "_written")

    def __init__(self, scope: KeyScope) -> None:
        self._scope = scope
        self._read: dict[Any, Any] = {}
        self._written: dict[Any, Any] = {}
        self._handed: dict[Any, Any] | None = None
        """What was handed out of ``_read`` in this epoch and can change in place; None if nobody changes it there."""

    def current(self) -> Any:
        """Return the value of the current key, or None."""
        key = self._scope.key
        written = self._written
        if key in written:
            return written[key]
        read = self._read
        value = read[key] if key in read else self._fetch(key)
        if self._handed is not None and may_change(value):
            self._handed[key] = value
        return value

    def replace(self, value: Any) -> None:
        """Set the value of the current key; None removes it."""
        self._written[self._scope.key] = value

    def _fetch(self, key: Any) -> Any:
        """Return the value of a key that is in neither."""
        raise NotImplementedError


if TYPE_CHECKING or native.calls is None:  # noqa: SIM108 - a class to mypy
    LiveValues = LiveValuesInPython
else:
    LiveValues = native.calls.LiveValues
