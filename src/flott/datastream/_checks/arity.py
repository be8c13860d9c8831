"""Checks that a function can be called the way the engine will call it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from flott.datastream._checks.describe import describe
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["check_arity", "check_plain_result"]


def check_arity(call: str, function: Callable[..., Any], arguments: Sequence[str], example: str) -> None:
    """Raise unless the function takes these arguments by position; one that hides its signature passes.

    >>> check_arity("map(...)", lambda a, b: a, ["value"], "lambda value: value * 2")
    Traceback (most recent call last):
    flott.errors.GraphError: map(...): <lambda> (...) takes (a, b), but it is called with (value);
    write it as in lambda value: value * 2
    """
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return  # Some builtins do not tell; the first record will.
    try:
        signature.bind(*arguments)
    except TypeError:
        takes = ", ".join(str(parameter).partition(":")[0] for parameter in signature.parameters.values())
        raise GraphError(
            f"{call}: {describe(function)} takes ({takes}), but it is called with ({', '.join(arguments)}); "
            f"write it as in {example}"
        ) from None


def check_plain_result(call: str, function: Callable[..., Any], generators: str | None) -> None:
    """Raise if calling the function gives a coroutine or, where one value is wanted, a generator.

    ``generators`` says what to use for a generator function; None where they are welcome.
    """
    target = _called(function)
    if inspect.iscoroutinefunction(target) or inspect.isasyncgenfunction(target):
        raise GraphError(
            f"{call}: {describe(function)} is asynchronous, so calling it gives no value but a coroutine; "
            "use a plain function here, or AsyncDataStream with an AsyncFunction"
        )
    if generators is not None and inspect.isgeneratorfunction(target):
        raise GraphError(
            f"{call}: {describe(function)} is a generator (it has a yield), but one value is wanted; "
            f"return the value, or {generators}"
        )


def _called(function: Any) -> Any:
    if inspect.isroutine(function) or isinstance(function, type):
        return function
    return type(function).__call__
