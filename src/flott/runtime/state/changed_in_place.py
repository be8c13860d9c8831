"""Values that functions got from state and may have changed without writing them back.

Such a change is kept: what was handed out in an epoch, can change and was not written is compared with what is stored,
by its bytes, when the epoch ends. So it does not matter whether the next record of the key comes to the same worker.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

UNCHANGING = frozenset({
    int, str, float, bool, type(None), bytes, complex, Decimal, date, datetime, time, timedelta, UUID,
})  # fmt: skip
"""Values of exactly these types can't be changed in place."""


def may_change(value: Any) -> bool:
    """Return whether a value, or something in it, can be changed in place.

    >>> may_change(("ann", 7)), may_change(("ann", [7])), may_change({})
    (False, True, True)
    """
    kind = type(value)
    if kind in UNCHANGING:
        return False
    return kind is not tuple or any(map(may_change, value))
