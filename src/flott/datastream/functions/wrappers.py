"""Plain callables in the place of function objects.

The callable becomes an attribute of the instance, under the name the engine calls: so the engine
calls it directly, and a record pays for no layer in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream.functions.base import Function

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FilterFunctionWrapper",
    "FlatMapFunctionWrapper",
    "FunctionWrapper",
    "MapFunctionWrapper",
    "ReduceFunctionWrapper",
]


class FunctionWrapper(Function):
    """A function object around a callable."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self._func = func

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._func!r})"


class MapFunctionWrapper(FunctionWrapper):
    """A MapFunction made of a callable.

    >>> MapFunctionWrapper(str.upper).map("a")
    'A'
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        super().__init__(func)
        self.map = func


class FlatMapFunctionWrapper(FunctionWrapper):
    """A FlatMapFunction made of a callable.

    >>> FlatMapFunctionWrapper(str.split).flat_map("to be")
    ['to', 'be']
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        super().__init__(func)
        self.flat_map = func


class FilterFunctionWrapper(FunctionWrapper):
    """A FilterFunction made of a callable.

    >>> FilterFunctionWrapper(str.isdigit).filter("7")
    True
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        super().__init__(func)
        self.filter = func


class ReduceFunctionWrapper(FunctionWrapper):
    """A ReduceFunction made of a callable.

    >>> ReduceFunctionWrapper(max).reduce(3, 5)
    5
    """

    reduce: Callable[[Any, Any], Any]

    def __init__(self, func: Callable[[Any, Any], Any]) -> None:
        super().__init__(func)
        self.reduce = func
