"""Key selectors and partitioners as plain callables, which is what the exchange calls for every record."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from flott.common.fields import Field
from flott.datastream._checks.describe import describe
from flott.datastream._checks.roles import KEY_SELECTOR
from flott.datastream.functions import Function, KeySelector, Partitioner, RuntimeContext
from flott.errors import FlottError, GraphError
from flott.runtime.canonical_keys import KeyTypeError, canonical_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["check_keys", "key_function", "partition_function"]


def key_function(call: str, key_selector: Any) -> Callable[[Any], Any]:
    """Return a plain callable for what a user gave as key selector.

    >>> key_function("key_by(...)", str.lower)("A")
    'a'
    """
    if isinstance(key_selector, str):
        return Field(key_selector)
    if isinstance(key_selector, Field):
        return key_selector
    selector = KEY_SELECTOR.take(call, key_selector)
    return _method(selector, "get_key") if isinstance(selector, KeySelector) else selector


def partition_function(partitioner: Any) -> Callable[[Any, int], int]:
    """Return a plain callable for a checked partitioner."""
    return _method(partitioner, "partition") if isinstance(partitioner, Partitioner) else partitioner


def check_keys(call: str, select: Callable[[Any], Any], records: Iterable[Any]) -> None:
    """Raise if the key of a known record can't be one.

    >>> check_keys("key_by(...)", lambda record: record["tags"], [{"tags": {"a": 1}}])
    Traceback (most recent call last):
    flott.errors.GraphError: key_by(...): ...: the key of record {'tags': {'a': 1}} is {'a': 1}, of type dict,
    which has no canonical form, ...
    """
    for record in records:
        try:
            key = select(record)
        except (Exception, SystemExit, GeneratorExit):  # noqa: BLE001 - it may need something that only workers have; they will tell
            return
        try:
            canonical_key(key)
        except KeyTypeError as error:
            inside = "" if type(key) is error.kind else "with something "
            raise GraphError(
                f"{call}: {describe(select)}: the key of record {record!r:.200} is {key!r:.100}, {inside}{error}"
            ) from None


def _method(function: Function, name: str) -> Callable[..., Any]:
    if type(function).open is Function.open:
        method: Callable[..., Any] = getattr(function, name)
        return method
    return OpenedAtFirstCall(function, name)


class OpenedAtFirstCall:
    """Calls a method of a function that wants to be opened: in each worker, before its first call."""

    def __init__(self, function: Function, method: str) -> None:
        self.function = function
        self.method = method
        self.call = self.first_call

    def __call__(self, *arguments: Any) -> Any:
        return self.call(*arguments)

    def first_call(self, *arguments: Any) -> Any:
        """Open the function, and from then on call its method directly."""
        self.function.open(NoRuntimeContext(type(self.function).__qualname__))
        self.call = getattr(self.function, self.method)
        return self.call(*arguments)

    def __reduce__(self) -> tuple[type[OpenedAtFirstCall], tuple[Function, str]]:
        # Opened or not, it starts anew in another worker.
        return type(self), (self.function, self.method)


class NoRuntimeContext(RuntimeContext):
    """What ``open`` of a key selector or partitioner gets: it runs between operators, so there is nothing to tell."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("get_"):
            return partial(_refuse, object.__getattribute__(self, "_owner"), name)
        return object.__getattribute__(self, name)


def _refuse(owner: str, method: str, *_arguments: Any) -> NoReturn:
    raise FlottError(
        f"{owner}.open(): {method}() has no answer here, because keys are also taken between operators, where there "
        "is no subtask and no state; do this in a map(...) before, and take the key from its result"
    )
