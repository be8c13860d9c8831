"""What to say about a part of the API whose engine is still being built."""

from __future__ import annotations

from flott.errors import FlottError

__all__ = ["not_yet"]


def not_yet(what: str, instead: str) -> FlottError:
    """Return the error for a call that is known but can't run yet, with what to do in the meantime.

    >>> raise not_yet("x.y()", "use z()")
    Traceback (most recent call last):
    flott.errors.FlottError: x.y() is not available in this version of Flott yet; use z()
    """
    return FlottError(f"{what} is not available in this version of Flott yet; {instead}")
