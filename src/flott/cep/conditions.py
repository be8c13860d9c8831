"""Conditions: what an event has to be for a stage to take it."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, final

from flott.cep.column_condition import Expression
from flott.cep.errors import MalformedPatternError
from flott.datastream._checks.arity import check_plain_result
from flott.datastream._checks.describe import describe

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream.functions import RuntimeContext

__all__ = ["ConditionContext", "IterativeCondition", "SimpleCondition"]


class ConditionContext(Protocol):
    """What an iterative condition knows besides the event."""

    def get_events_for_pattern(self, name: str) -> list[Any]:
        """Returns the events that this partial match holds for a stage, in order; none gives an empty list."""

    def timestamp(self) -> int | None:
        """Returns the timestamp of the event; in processing time, when it was processed."""

    def current_processing_time(self) -> int:
        """Returns the time of day in milliseconds since 1970."""


class IterativeCondition(ABC):
    """A condition that may look at what a partial match holds so far.

    >>> class MoreThanBefore(IterativeCondition):
    ...     def filter(self, event, ctx):
    ...         return event.price > sum(before.price for before in ctx.get_events_for_pattern("buy"))

    A function of two arguments does the same: ``where(lambda event, ctx: ...)``.
    """

    def open(self, runtime_context: RuntimeContext) -> None:  # noqa: B027 - there to be overridden
        """Prepares for work, once per worker and subtask."""

    def close(self) -> None:  # noqa: B027
        """Releases what ``open`` took."""

    @abstractmethod
    def filter(self, event: Any, ctx: ConditionContext) -> bool:
        """Says whether the stage takes the event."""


class SimpleCondition(ABC):
    """A condition on the event alone. A function of one argument does the same: ``where(lambda event: ...)``."""

    def open(self, runtime_context: RuntimeContext) -> None:  # noqa: B027 - there to be overridden
        """Prepares for work, once per worker and subtask."""

    def close(self) -> None:  # noqa: B027
        """Releases what ``open`` took."""

    @abstractmethod
    def filter(self, event: Any) -> bool:
        """Says whether the stage takes the event."""

    @staticmethod
    def of(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Returns the condition that a function of one argument is."""
        return function


# What the compiler works with: conditions as plain data


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """One condition as the user gave it. Equal only to itself."""

    function: Any
    """A callable of (event) or (event, ctx), or an object with ``filter``."""
    iterative: bool
    text: str

    @property
    def test(self) -> Callable[..., Any]:
        """What to call."""
        call: Callable[..., Any] = getattr(self.function, "filter", self.function)
        return call


@final
@dataclass(frozen=True, slots=True)
class OfType:
    """Holds for objects of a class: what ``subtype`` adds."""

    kind: type

    def __call__(self, event: Any) -> bool:
        return isinstance(event, self.kind)


@dataclass(frozen=True, slots=True)
class Always:
    """Holds for every event."""


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where another condition does not."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class And:
    """Holds where both do."""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Or:
    """Holds where one of two does."""

    left: Condition
    right: Condition


Condition = Leaf | Always | Not | And | Or
ALWAYS = Always()


def both(left: Condition, right: Condition) -> Condition:
    """Return the condition that holds where both do."""
    return right if left is ALWAYS else And(left, right)


def leaf(call: str, given: Any, text: str) -> Leaf:
    """Take a condition as the user gave it; raise if it can't be one. ``text`` is what drawings call a lambda."""
    if isinstance(given, Leaf):
        return given
    if isinstance(given, type):
        raise MalformedPatternError(f"{call}: this is the class {given.__qualname__} itself; give an object of it")
    if isinstance(given, IterativeCondition | SimpleCondition):
        return Leaf(given, isinstance(given, IterativeCondition), type(given).__qualname__)
    if isinstance(given, Expression):
        return Leaf(given, False, str(given))
    if not callable(given):
        raise MalformedPatternError(
            f"{call}: {describe(given)} is no condition; give a function of the event, lambda event: event.amount > 5, "
            "or of the event and the context, lambda event, ctx: ..."
        )
    check_plain_result(call, given, "drop the yield")
    name = getattr(given, "__name__", "<lambda>")
    return Leaf(given, _takes_context(call, given), text if name == "<lambda>" else name)


def _takes_context(call: str, function: Callable[..., Any]) -> bool:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return False  # Some builtins do not tell; they are functions of one value.
    for arguments in (("event",), ("event", "ctx")):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return len(arguments) > 1
    takes = ", ".join(signature.parameters)
    raise MalformedPatternError(
        f"{call}: {describe(function)} takes ({takes}), but a condition is called with (event) or with (event, ctx)"
    )


def leaves_of(condition: Condition) -> list[Leaf]:
    """List the user's conditions inside a condition, each once, in order."""
    if isinstance(condition, Leaf):
        return [condition]
    if isinstance(condition, Not):
        return leaves_of(condition.condition)
    if isinstance(condition, And | Or):
        left = leaves_of(condition.left)
        return left + [one for one in leaves_of(condition.right) if one not in left]
    return []


def describe_condition(condition: Condition) -> str:
    """Write a condition as text, for drawings."""
    match condition:
        case Leaf(text=text):
            return text
        case Not(condition=inside):
            return f"not {describe_condition(inside)}"
        case And(left=left, right=right):
            return f"({describe_condition(left)} and {describe_condition(right)})"
        case Or(left=left, right=right):
            return f"({describe_condition(left)} or {describe_condition(right)})"
        case _:
            return "true"
