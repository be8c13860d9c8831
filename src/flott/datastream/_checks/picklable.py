"""Checks that a function can be sent to the workers, and finds what keeps it from that."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import cloudpickle

from flott.datastream._checks.describe import describe
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_picklable"]

DEEPEST = 12
"""How far to look for the culprit; deeper, the way to it would explain nothing."""

ADVICE = (
    "Connections, locks, files and the like are made where they are used: in open() of a function class, "
    "which runs once in each worker"
)


def check_picklable(call: str, function: Any) -> None:
    """Raise if the function can't be pickled, and say which object it holds is to blame.

    >>> from threading import Lock
    >>> lock = Lock()
    >>> def guarded(value, lock=lock):
    ...     return value
    >>> check_picklable("map(...)", guarded)
    Traceback (most recent call last):
    flott.errors.GraphError: map(...): guarded (...) can't be sent to the workers, because it holds a lock:
    the default of its parameter 'lock'. ...
    """
    error = _pickling_error(function)
    if error is None:
        return
    way, culprit = _find_culprit(function, [], set())
    if way:
        blame = f"because it holds a {type(culprit).__qualname__}: {', '.join(reversed(way))}"
    else:
        blame = f"because pickling it fails: {error}"
    advice = f"{_pickling_error(culprit)}" if way and _pickles_its_own_way(culprit) else ADVICE
    raise GraphError(f"{call}: {describe(function)} can't be sent to the workers, {blame}. {advice}") from error


def _find_culprit(holder: Any, way: list[str], seen: set[int]) -> tuple[list[str], Any]:
    """Follow what is held to the innermost object that can't be pickled."""
    seen.add(id(holder))
    if len(way) < DEEPEST:
        for place, held in _held(holder):
            if id(held) not in seen and _pickling_error(held) is not None:
                return _find_culprit(held, [*way, place], seen)
    return way, holder


def _held(holder: Any) -> Iterator[tuple[str, Any]]:
    """What an object refers to that is pickled along with it, and how to say where."""
    if _pickles_its_own_way(holder):
        return
    if inspect.ismethod(holder):
        yield "the object of its method", holder.__self__
    elif inspect.isfunction(holder):
        yield from _held_by_function(holder)
    elif isinstance(holder, partial):
        yield "the function of its partial", holder.func
        yield from ((f"argument {index} of its partial", held) for index, held in enumerate(holder.args))
        yield from ((f"argument '{name}' of its partial", held) for name, held in holder.keywords.items())
    elif isinstance(holder, Mapping):
        yield from ((f"entry {key!r} of a {type(holder).__name__}", held) for key, held in holder.items())
    elif isinstance(holder, (list, tuple, set, frozenset)):
        yield from ((f"an element of a {type(holder).__name__}", held) for held in holder)
    elif isinstance(holder, type):
        for name, member in vars(holder).items():
            function = getattr(member, "__func__", member)
            if inspect.isfunction(function) or not name.startswith("__"):
                yield f"{holder.__qualname__}.{name}", function
    else:
        kind = type(holder).__qualname__
        yield from ((f"attribute '{name}' of {kind}", held) for name, held in _attributes(holder))
        # A class of the user's script travels too.
        yield f"class {kind}", type(holder)


def _held_by_function(function: Any) -> Iterator[tuple[str, Any]]:
    try:
        variables = inspect.getclosurevars(function)
    except (TypeError, ValueError):
        return
    yield from ((f"variable '{name}' around it", held) for name, held in variables.nonlocals.items())
    yield from ((f"global variable '{name}'", held) for name, held in variables.globals.items())
    parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        if parameter.default is not parameter.empty:
            yield f"the default of its parameter '{parameter.name}'", parameter.default


def _attributes(holder: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(holder, "__dict__", {}).items()
    for kind in type(holder).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(holder, name):
                yield name, getattr(holder, name)


def _pickles_its_own_way(holder: Any) -> bool:
    """Say whether a class of somebody's decides what is pickled: then what its objects hold need not matter."""
    return inspect.isfunction(vars(type(holder)).get("__reduce__"))


def _pickling_error(candidate: Any) -> Exception | None:
    try:
        cloudpickle.dumps(candidate)
    except Exception as error:  # noqa: BLE001 - objects raise whatever they like when they are pickled
        return error
    return None
