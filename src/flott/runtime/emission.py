"""Each record is what it was when it was emitted, whatever the user's function does with its objects afterwards.

What a function returns or yields passes ``emission(...)`` before the function goes on. Values of immutable types come
back as they are, and so do tuples of them. All else is copied, unless (compiled) nobody else has a reference to it.
From then on the record belongs to the operator that receives it; where several do, each gets a copy of its own.

``pipeline.object-reuse`` switches all of that off.
"""

from __future__ import annotations

from itertools import chain
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from flott.runtime import native
from flott.runtime.value_kinds import (
    ARRAY,
    BUILT_IN,
    DICT,
    FROZEN,
    FROZENSET,
    IMMUTABLE,
    INSTANCE,
    LIST,
    NAMED_TUPLE,
    ROW,
    SET,
    TUPLE,
    copy_unknown,
    kind_of,
    slots_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LIGHT = frozenset(cls for cls, kind in BUILT_IN.items() if kind == IMMUTABLE)
"""Types of which most records are made, and which can't change."""
ONLY_TUPLES = {tuple}
Memo = dict[int, Any]
"""What was copied already: references inside a record stay shared, and loops end. As ``copy.deepcopy`` has it."""


class Emission(NamedTuple):
    """What operators do with what a function returns, before the function goes on."""

    one: Callable[[Any], Any]
    """Returns what is emitted for a value."""
    extend: Callable[[list[Any], Iterable[Any]], None]
    """Adds to a list what is emitted for each of several values, as the function yields them."""
    map_into: Callable[[list[Any], Callable[[Any], Any], list[Any]], None]
    """Adds to a list what is emitted for what a function returns for each record. If it fails, the rest is missing."""
    copies: bool


def emission(*, object_reuse: bool) -> Emission:
    """Return how records are emitted.

    >>> emitted = emission(object_reuse=False).one
    >>> clicks = {"user": "ann", "pages": ["/"]}
    >>> record = emitted(clicks)
    >>> clicks["pages"].append("/cart")
    >>> record
    {'user': 'ann', 'pages': ['/']}
    """
    if object_reuse:
        return Emission(_same, list.extend, _map_into, copies=False)
    if native.emission is not None:
        compiled = native.emission
        return Emission(compiled.emitted, compiled.extend, compiled.map_into, copies=True)
    return Emission(copied, _extend, _map_copies_into, copies=True)


def copies(values: list[Any]) -> list[Any]:
    """Return a list with a copy of each value; the same list if all are immutable."""
    if native.emission is not None:
        made: list[Any] = native.emission.copies(values)
        return made
    if are_light(values):
        return values
    made = list(map(copied, values))
    return values if all(map(is_, made, values)) else made


def are_light(values: list[Any]) -> bool:
    """Return whether all values are light, or all are tuples of light ones: asked for a whole batch at once."""
    kinds = set(map(type, values))
    return kinds <= LIGHT or (kinds == ONLY_TUPLES and LIGHT.issuperset(map(type, chain.from_iterable(values))))


def owned(values: list[Any]) -> list[Any]:
    """Return a list whose values nobody else has: copies of those to which there are other references.

    The list itself, and what is in it, must have been made for the caller.
    """
    if native.emission is not None:
        made: list[Any] = native.emission.owned(values)
        return made
    return copies(values)


def _same(value: Any) -> Any:
    return value


def _map_into(values: list[Any], call: Callable[[Any], Any], records: list[Any]) -> None:
    values.extend(map(call, records))


def _map_copies_into(values: list[Any], call: Callable[[Any], Any], records: list[Any]) -> None:
    _extend(values, map(call, records))


def _extend(values: list[Any], produced: Iterable[Any]) -> None:
    """Copy what may change. Most records are seen not to without a call: with few items, a loop is the fastest."""
    light = LIGHT
    for value in produced:
        emitted = value
        cls = type(value)
        if cls is tuple:
            for item in value:
                if type(item) not in light:
                    emitted = copied(value)
                    break
        elif cls not in light:
            emitted = copied(value)
        values.append(emitted)


def copied(value: Any) -> Any:
    """Return a copy; of what is immutable, the same object."""
    light = LIGHT
    cls = type(value)
    if cls in light:
        return value
    if cls is dict and _are_light(value) and _are_light(value.values()):
        return value.copy()
    if cls is tuple and _are_light(value):
        return value
    return _copy(value, {})


def _are_light(items: Iterable[Any]) -> bool:
    light = LIGHT
    for item in items:  # noqa: SIM110 - a generator costs more than the few items of a record
        if type(item) not in light:
            return False
    return True


def _copy(value: Any, memo: Memo) -> Any:
    kind = kind_of(value)
    if kind == IMMUTABLE:
        return value
    known = memo.get(id(value))
    if known is not None:
        return known
    return _COPIERS.get(kind, copy_unknown)(value, memo)


def _copy_tuple(value: Any, memo: Memo) -> Any:
    items = [_copy(item, memo) for item in value]
    known = memo.get(id(value))  # if one of its items refers back to it
    if known is not None:
        return known
    unchanged = all(map(is_, items, value))
    made = memo[id(value)] = value if unchanged else tuple.__new__(type(value), items)
    return made


def _copy_frozenset(value: Any, memo: Memo) -> Any:
    items = list(value)
    made = [_copy(item, memo) for item in items]
    return value if all(map(is_, made, items)) else frozenset(made)


def _copy_list(value: Any, memo: Memo) -> Any:
    made: list[Any] = []
    memo[id(value)] = made
    made.extend([_copy(item, memo) for item in value])
    return made


def _copy_dict(value: Any, memo: Memo) -> Any:
    made: dict[Any, Any] = {}
    memo[id(value)] = made
    for key, item in list(value.items()):
        made[_copy(key, memo)] = _copy(item, memo)
    return made


def _copy_set(value: Any, memo: Memo) -> Any:
    made: set[Any] = set()
    memo[id(value)] = made
    made.update([_copy(item, memo) for item in value])
    return made


def _copy_instance(value: Any, memo: Memo) -> Any:
    """Copy an object by its attributes, as ``copy.deepcopy`` does where a class says nothing else."""
    cls: Any = type(value)
    made = memo[id(value)] = object.__new__(cls)
    for slot in slots_of(cls):
        try:
            item = slot.__get__(value)
        except AttributeError:
            continue
        slot.__set__(made, _copy(item, memo))
    if cls.__dictoffset__:
        made.__dict__.update({name: _copy(item, memo) for name, item in vars(value).items()})
    return made


def _copy_frozen(value: Any, memo: Memo) -> Any:
    """Copy a frozen dataclass, if there is anything in it that can change."""
    cls: Any = type(value)
    made = _copy_instance(value, memo)
    unchanged = all(slot.__get__(made) is slot.__get__(value) for slot in slots_of(cls) if hasattr(made, slot.__name__))
    if unchanged and (not cls.__dictoffset__ or all(map(is_, vars(made).values(), vars(value).values()))):
        made = memo[id(value)] = value
    return made


def _copy_array(value: Any, memo: Memo) -> Any:
    if value.dtype.hasobject:
        return copy_unknown(value, memo)
    made = memo[id(value)] = value.copy("K")
    return made


_COPIERS: dict[int, Callable[[Any, Memo], Any]] = {
    TUPLE: _copy_tuple,
    NAMED_TUPLE: _copy_tuple,
    FROZENSET: _copy_frozenset,
    FROZEN: _copy_frozen,
    LIST: _copy_list,
    DICT: _copy_dict,
    SET: _copy_set,
    ROW: _copy_instance,
    INSTANCE: _copy_instance,
    ARRAY: _copy_array,
}
