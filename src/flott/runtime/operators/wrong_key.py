"""Keys that can't be keys, and what to return instead."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from flott.errors import StateAccessError
from flott.runtime.canonical_keys import KeyTypeError, canonical_key

if TYPE_CHECKING:
    from collections.abc import Callable


def wrong_key(title: str, select: Callable[[Any], Any], key: Any, record: Any) -> StateAccessError | None:
    """Return the error to raise if no state can be kept for a key, else None."""
    try:
        canonical_key(key)
    except KeyTypeError as error:
        inside = "" if type(key) is error.kind else "with something "
        message = (
            f"{title}: {selector_name(select)}: the key of record {record!r:.200} is {key!r:.100}, {inside}{error}."
        )
        return StateAccessError(message)
    return None


def selector_name(select: Callable[[Any], Any]) -> str:
    """Name a key selector as its author knows it.

    >>> selector_name(len), selector_name(lambda pair: pair[0]).startswith("key selector <lambda> (")
    ('key selector len', True)
    """
    code = getattr(select, "__code__", None)
    name = getattr(select, "__qualname__", None) or repr(select)
    place = "" if code is None else f" ({PurePath(code.co_filename).name}:{code.co_firstlineno})"
    return f"key selector {name.rpartition('<locals>.')[2]}{place}"
