"""Values of keys in memory: what functions read and write, record by record."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from flott.runtime import native
from flott.runtime.state.changed_in_place import may_change

if TYPE_CHECKING:
    from flott.runtime.state.key_scope import KeyScope
    from flott.runtime.state.ttl import Expiry


def differs(value: Any, stored: bytes | None) -> bool:
    """Return whether a value is not the one that was stored, as a pickle."""
    if stored is None or pickle.dumps(value, 5) == stored:
        return stored is None
    return native.entries is None or native.entries.dumps(value) != stored


class LiveValuesInPython:
    """A value per key: ``_written`` holds this epoch's, ``_read`` those before.

    Subclasses define ``_fetch`` and ``_living``.
    """

    __slots__ = ("_expiry", "_handed", "_read", "_scope", "_written")

    def __init__(self, scope: KeyScope) -> None:
        self._scope = scope
        self._read: dict[Any, Any] = {}
        self._written: dict[Any, Any] = {}
        self._handed: dict[Any, Any] | None = None
        """What was handed out of ``_read`` in this epoch and can change in place; None if nobody changes it there."""
        self._expiry: Expiry | None = None
        """When values expire; both dictionaries hold pairs of a value and the moment it was last touched then."""

    def current(self) -> Any:
        """Return the value of the current key, or None."""
        key = self._scope.key
        written = self._written
        if key in written:
            value = written[key]
        else:
            read = self._read
            value = read[key] if key in read else self._fetch(key)
            if self._handed is not None and may_change(value):
                self._handed[key] = value
        return value if self._expiry is None else self._living(key, value)

    def replace(self, value: Any) -> None:
        """Set the value of the current key; None removes it."""
        self._written[self._scope.key] = value if self._expiry is None else self._expiry.stamped(value)

    def _living(self, key: Any, pair: Any) -> Any:
        """Return what may be seen of a value that can expire."""
        raise NotImplementedError

    def _fetch(self, key: Any) -> Any:
        """Return the value of a key that is in neither."""
        raise NotImplementedError


if TYPE_CHECKING or native.calls is None:  # noqa: SIM108 - a class to mypy
    LiveValues = LiveValuesInPython
else:
    LiveValues = native.calls.LiveValues
