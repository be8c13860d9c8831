"""Keys that can't be keys, and what to return instead."""

from __future__ import annotations

from typing import Any

from flott.errors import StateAccessError

INSTEAD = {
    "list": "a tuple, as in key_by(lambda record: tuple(record.tags))",
    "dict": "one of its values, or a tuple of them, as in key_by(lambda record: record['user'])",
    "set": "a frozenset",
}


def wrong_key(title: str, key: Any, record: Any) -> StateAccessError | None:
    """Return the error to raise if no state can be kept for a key, else None."""
    try:
        hash(key)
    except TypeError:
        kind = type(key).__name__
        message = (
            f"{title}: the key of record {record!r:.200} is {key!r:.100}, of type {kind}, which Python can't hash, "
            f"so no state can be kept for it. Return something that does not change: "
            f"{INSTEAD.get(kind, 'a text, a number, a tuple, or a frozen dataclass')}."
        )
        return StateAccessError(message)
    return None
