"""FoldingState, which Flink 2 no longer has: aggregating state whose accumulator is the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from flott.datastream.functions.fold import FoldAggregate, FoldFunction, FoldFunctionWrapper
from flott.datastream.state.descriptors import AggregatingStateDescriptor
from flott.datastream.state.handles import AppendingState
from flott.runtime.state import values

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation

__all__ = ["FoldingState", "FoldingStateDescriptor"]

IN = TypeVar("IN")
ACC = TypeVar("ACC")


class FoldingState(AppendingState[IN, ACC]):
    """One value per key, which starts as something, and into which values are folded; None while nothing was added."""


class FoldingStateDescriptor(AggregatingStateDescriptor):
    """Describes one value per key, into which added ones are folded.

    >>> longest = FoldingStateDescriptor("longest", 0, lambda length, word: max(length, len(word)))
    >>> longest.get_fold_function().fold(3, "swift")
    5
    """

    def __init__(
        self,
        name: str,
        initial_value: Any,
        fold_function: FoldFunction | Callable[[Any, Any], Any],
        type_info: TypeInformation | None = None,
    ) -> None:
        if isinstance(fold_function, type) or not (isinstance(fold_function, FoldFunction) or callable(fold_function)):
            raise TypeError(
                f"state '{name}': {fold_function!r} is no fold function; give a FoldFunction object or a callable of "
                "the accumulator and a value, such as lambda total, order: total + order.amount"
            )
        fold = fold_function if isinstance(fold_function, FoldFunction) else FoldFunctionWrapper(fold_function)
        super().__init__(name, FoldAggregate(initial_value, fold), type_info)
        self._fold_function = fold

    def get_fold_function(self) -> FoldFunction | FoldFunctionWrapper:
        """Returns the function that folds a value into the accumulator."""
        return self._fold_function


# The engine's classes do not know the API, so the API claims them.
FoldingState.register(values.AggregatingState)
