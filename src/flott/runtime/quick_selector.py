"""Key selectors that need no call of Python."""

from __future__ import annotations

from operator import itemgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any

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
    alike = ours.co_code == theirs.co_code and ours.co_flags == theirs.co_flags and select.__defaults__ is None
    constants = [constant for constant in theirs.co_consts if constant is not None]
    return itemgetter(constants[0]) if alike and len(constants) == 1 else select
