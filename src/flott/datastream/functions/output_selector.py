"""Which named outputs of a split stream a record belongs to."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions.base import Function
from flott.datastream.functions.wrappers import FunctionWrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["OutputSelector", "OutputSelectorWrapper"]


class OutputSelector(Function):
    """Names the outputs that a record goes to: one, several or none.

    >>> class BySign(OutputSelector):
    ...     def select(self, value):
    ...         return ["negative"] if value < 0 else ["positive"]
    >>> BySign().select(-1)
    ['negative']
    """

    @abstractmethod
    def select(self, value: Any) -> Iterable[str] | str | None:
        """Returns the names of a record's outputs; a text is one name, None stands for no output."""


class OutputSelectorWrapper(FunctionWrapper):
    """An OutputSelector made of a callable.

    >>> OutputSelectorWrapper(lambda order: order["country"]).select({"country": "no"})
    'no'
    """

    select: Callable[[Any], Iterable[str] | str | None]

    def __init__(self, func: Callable[[Any], Any]) -> None:
        super().__init__(func)
        self.select = func
