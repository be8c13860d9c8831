"""Key selectors that need no call of Python."""

from __future__ import annotations

from inspect import CO_NESTED
from operator import itemgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from flott.runtime.tuples import items_at

if TYPE_CHECKING:
    from collections.abc import Callable


def _template(record: Any) -> Any:
    return record[0]


def quick_selector(select: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what does the same as ``lambda record: record[0]`` without a call of Python; others as they are.

    >>> quick_selector(lambda pair: pair[1]), quick_selector(lambda order: order["user"]), quick_selector(len)
    (operator.itemgetter(1), operator.itemgetter('user'), <built-in function len>)
    """
    if type(select) is not FunctionType:
        return select
    ours, theirs = _template.__code__, select.__code__
    alike = ours.co_code == theirs.co_code and _flags(ours) == _flags(theirs) and select.__defaults__ is None
    constants = [constant for constant in theirs.co_consts if constant is not None]
    return itemgetter(constants[0]) if alike and len(constants) == 1 else select


def _flags(code: CodeType) -> int:
    return code.co_flags & ~CO_NESTED


def select_all(select: Callable[[Any], Any], values: list[Any]) -> list[Any]:
    """Return what a selector, best a quick one, returns for each value.

    >>> select_all(itemgetter(0), [("a", 1), ("b", 2)]), select_all(len, ["one", "three"])
    (['a', 'b'], [3, 5])
    """
    if type(select) is itemgetter:
        wanted = select.__reduce__()[1]
        if len(wanted) == 1 and type(wanted[0]) is int:
            items = items_at(values, wanted[0])
            if items is not None:
                return items
    return list(map(select, values))
