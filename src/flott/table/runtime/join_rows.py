"""The rows that a side of a join keeps for each key."""

from __future__ import annotations

import struct

from flott.runtime.state.lists import ListState

FIRST_CHUNK = struct.pack(">I", 0)


class JoinRows(ListState):
    """Lists without a time to live, of which many are empty: then their first chunk is not there.

    To look for that one is three times faster than to search for all.
    """

    __slots__ = ()

    def _may_be_stored(self, prefix: bytes) -> bool:
        return self._backend.get(prefix + FIRST_CHUNK) is not None
