"""Functions of one record of either stream, as keyed process functions: so that they may use keyed state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream.functions import KeyedCoProcessFunction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.datastream.functions import CoFlatMapFunction, CoMapFunction, RuntimeContext

__all__ = ["KeyedCoFlatMap", "KeyedCoMap"]


class _Delegate(KeyedCoProcessFunction):
    """Opens and closes the function inside."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        self.function.open(runtime_context)

    def close(self) -> None:
        self.function.close()


class KeyedCoMap(_Delegate):
    """A CoMapFunction, called with its record's key set."""

    function: CoMapFunction

    def process_element1(self, value: Any, ctx: KeyedCoProcessFunction.Context) -> Iterable[Any]:
        result = self.function.map1(value)
        return () if result is None else (result,)

    def process_element2(self, value: Any, ctx: KeyedCoProcessFunction.Context) -> Iterable[Any]:
        result = self.function.map2(value)
        return () if result is None else (result,)


class KeyedCoFlatMap(_Delegate):
    """A CoFlatMapFunction, called with its record's key set."""

    function: CoFlatMapFunction

    def process_element1(self, value: Any, ctx: KeyedCoProcessFunction.Context) -> Iterable[Any] | None:
        return self.function.flat_map1(value)

    def process_element2(self, value: Any, ctx: KeyedCoProcessFunction.Context) -> Iterable[Any] | None:
        return self.function.flat_map2(value)
