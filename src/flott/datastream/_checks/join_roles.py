"""What the methods of joined streams take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream._checks.roles import Role
from flott.datastream.functions.join import CoGroupFunction, FlatJoinFunction, JoinFunction, ProcessJoinFunction
from flott.datastream.functions.wrappers import FunctionWrapper

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CO_GROUP", "FLAT_JOIN", "JOIN", "PROCESS_JOIN"]


class JoinFunctionWrapper(FunctionWrapper):
    """A JoinFunction made of a callable."""

    def __init__(self, func: Callable[[Any, Any], Any]) -> None:
        super().__init__(func)
        self.join = func


class CoGroupFunctionWrapper(FunctionWrapper):
    """A CoGroupFunction made of a callable."""

    def __init__(self, func: Callable[[Any, Any], Any]) -> None:
        super().__init__(func)
        self.co_group = func


_PAIR = ("first", "second")

JOIN = Role(
    JoinFunction, {"join": _PAIR}, "join(...).where(...).equal_to(...).window(...).apply(...)", JoinFunctionWrapper,
    "lambda first, second: (first, second)", "derive from FlatJoinFunction for any number of results",
)  # fmt: skip
FLAT_JOIN = Role(FlatJoinFunction, {"join": _PAIR}, "join(...).where(...).equal_to(...).window(...).apply(...)")
CO_GROUP = Role(
    CoGroupFunction, {"co_group": _PAIR}, "co_group(...).where(...).equal_to(...).window(...).apply(...)",
    CoGroupFunctionWrapper, "lambda first, second: [(len(first), len(second))]",
)  # fmt: skip
PROCESS_JOIN = Role(
    ProcessJoinFunction, {"process_element": ("left", "right", "ctx")}, "interval_join(...).between(...).process(...)"
)
