"""What error messages call a user's function."""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import PurePath
from typing import Any

__all__ = ["describe"]


def describe(function: Any) -> str:
    """Name a function as its author knows it: by name and place, or by its class.

    >>> describe(len)
    'len'
    >>> describe(3)
    '3 (a int)'
    """
    if isinstance(function, partial):
        return f"partial of {describe(function.func)}"
    code = getattr(inspect.unwrap(function) if callable(function) else function, "__code__", None)
    if code is None and inspect.ismethod(function):
        code = getattr(function.__func__, "__code__", None)
    if code is not None:
        name = function.__qualname__.rpartition("<locals>.")[2]
        return f"{name} ({PurePath(code.co_filename).name}:{code.co_firstlineno})"
    if isinstance(function, type) or inspect.isbuiltin(function):
        return str(function.__qualname__)
    if callable(function) or type(function).__module__ != "builtins":
        return f"a {type(function).__qualname__}"
    return f"{function!r} (a {type(function).__qualname__})"
