"""Select functions as pattern process functions: the operator knows only these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.functions import (
    PatternFlatSelectFunction,
    PatternFlatTimeoutFunction,
    PatternProcessFunction,
    PatternSelectFunction,
    PatternTimeoutFunction,
)
from flott.datastream._checks.roles import Role
from flott.runtime.operator import close_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.datastream import OutputTag, RuntimeContext

__all__ = ["FLAT_SELECT", "FLAT_TIMEOUT", "PATTERN_PROCESS", "SELECT", "TIMEOUT", "selecting"]


class SelectCall(PatternSelectFunction):
    """A plain callable as a PatternSelectFunction."""

    def __init__(self, function: Callable[[dict[str, list[Any]]], Any]) -> None:
        self.function = function

    def select(self, pattern: dict[str, list[Any]]) -> Any:
        return self.function(pattern)


class FlatSelectCall(PatternFlatSelectFunction):
    """A plain callable as a PatternFlatSelectFunction."""

    def __init__(self, function: Callable[[dict[str, list[Any]]], Iterable[Any] | None]) -> None:
        self.function = function

    def flat_select(self, pattern: dict[str, list[Any]]) -> Iterable[Any] | None:
        return self.function(pattern)


class TimeoutCall(PatternTimeoutFunction):
    """A plain callable as a PatternTimeoutFunction."""

    def __init__(self, function: Callable[[dict[str, list[Any]], int], Any]) -> None:
        self.function = function

    def timeout(self, pattern: dict[str, list[Any]], timeout_timestamp: int) -> Any:
        return self.function(pattern, timeout_timestamp)


class FlatTimeoutCall(PatternFlatTimeoutFunction):
    """A plain callable as a PatternFlatTimeoutFunction."""

    def __init__(self, function: Callable[[dict[str, list[Any]], int], Iterable[Any] | None]) -> None:
        self.function = function

    def timeout(self, pattern: dict[str, list[Any]], timeout_timestamp: int) -> Iterable[Any] | None:
        return self.function(pattern, timeout_timestamp)


_MATCH = ("match",)
_TIMED_OUT = ("match", "timeout_timestamp")
_ONE_VALUE = "use flat_select(...) for any number of results"

PATTERN_PROCESS = Role(PatternProcessFunction, {"process_match": ("match", "ctx")}, "CEP.pattern(...).process(...)")
SELECT = Role(
    PatternSelectFunction, {"select": _MATCH}, "CEP.pattern(...).select(...)", SelectCall,
    "lambda match: match['start'][0]", _ONE_VALUE,
)  # fmt: skip
FLAT_SELECT = Role(
    PatternFlatSelectFunction, {"flat_select": _MATCH}, "CEP.pattern(...).flat_select(...)", FlatSelectCall,
    "lambda match: match['start']",
)  # fmt: skip
TIMEOUT = Role(
    PatternTimeoutFunction, {"timeout": _TIMED_OUT}, "CEP.pattern(...).select(tag, ..., ...)", TimeoutCall,
    "lambda match, timeout_timestamp: match['start'][0]", _ONE_VALUE,
)  # fmt: skip
FLAT_TIMEOUT = Role(
    PatternFlatTimeoutFunction, {"timeout": _TIMED_OUT}, "CEP.pattern(...).flat_select(tag, ..., ...)",
    FlatTimeoutCall, "lambda match, timeout_timestamp: match['start']",
)  # fmt: skip


class _Selecting(PatternProcessFunction):
    """Makes results of matches, and of timeouts if there is a function for them."""

    def __init__(self, select: Any, timeout: Any | None) -> None:
        self.functions = [function for function in (select, timeout) if function is not None]

    def open(self, runtime_context: RuntimeContext) -> None:
        for function in self.functions:
            function.open(runtime_context)

    def close(self) -> None:
        close_all(self.functions)


class _Select(_Selecting):
    def process_match(self, match: dict[str, list[Any]], ctx: PatternProcessFunction.Context) -> Iterable[Any]:
        return (self.functions[0].select(match),)


class _FlatSelect(_Selecting):
    def process_match(self, match: dict[str, list[Any]], ctx: PatternProcessFunction.Context) -> Iterable[Any] | None:
        results: Iterable[Any] | None = self.functions[0].flat_select(match)
        return results


class _WithTimeouts(_Selecting):
    def __init__(self, select: Any, timeout: Any, tag: OutputTag) -> None:
        super().__init__(select, timeout)
        self.tag = tag


class _SelectWithTimeouts(_WithTimeouts, _Select):
    def process_timed_out_match(self, match: dict[str, list[Any]], ctx: PatternProcessFunction.Context) -> None:
        ctx.output(self.tag, self.functions[1].timeout(match, ctx.timestamp()))


class _FlatSelectWithTimeouts(_WithTimeouts, _FlatSelect):
    def process_timed_out_match(self, match: dict[str, list[Any]], ctx: PatternProcessFunction.Context) -> None:
        for value in self.functions[1].timeout(match, ctx.timestamp()) or ():
            ctx.output(self.tag, value)


def selecting(
    call: str, function: Any, timeout: Any | None, tag: OutputTag | None, *, flat: bool
) -> PatternProcessFunction:
    """Return the process function that select or flat_select stands for."""
    select = (FLAT_SELECT if flat else SELECT).take(call, function)
    if timeout is None or tag is None:
        return _FlatSelect(select, None) if flat else _Select(select, None)
    timed_out = (FLAT_TIMEOUT if flat else TIMEOUT).take(call, timeout)
    return (_FlatSelectWithTimeouts if flat else _SelectWithTimeouts)(select, timed_out, tag)
