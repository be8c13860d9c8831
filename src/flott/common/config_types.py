"""The types an option may have: each reads a stored value, be it typed or text."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from functools import partial, singledispatch
from typing import Any, Generic, TypeVar

from flott.common.config_text import format_list, format_map, parse_list, parse_map
from flott.common.constants import MAX_LONG_VALUE, MIN_LONG_VALUE
from flott.common.duration_text import format_duration
from flott.common.memory_size import MemorySize
from flott.common.time import Duration

__all__ = [
    "BOOLEAN", "BYTES", "DOUBLE", "DURATION", "FLOAT", "INT", "LONG", "MAP", "MEMORY", "STRING",
    "ValueType", "enum_of", "list_of", "one_of", "render",
]  # fmt: skip

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=Enum)

_WHOLE = re.compile(r"[-+]?[0-9]+")
_SPECIAL_FLOATS = {".inf": "inf", "-.inf": "-inf", ".nan": "nan"}
_BINARY_TAG = "!!binary |-\n  "


@dataclass(frozen=True, slots=True)
class ValueType(Generic[T_co]):
    """The type of an option's value: a name for the reference, and how to read one."""

    name: str
    parse: Callable[[object], T_co]


@singledispatch
def render(value: Any) -> str:
    """Writes a value the way it stands in a configuration file.

    >>> render(True), render(Duration.of_seconds(60)), render(["a", "b"])
    ('true', '1 min', '[a, b]')
    """
    return str(value)


@render.register
def _(value: bool) -> str:
    return "true" if value else "false"


@render.register
def _(value: float) -> str:
    return repr(value).replace("inf", ".inf").replace("nan", ".nan")


@render.register(Duration)
@render.register(timedelta)
def _(value: Duration | timedelta) -> str:
    return format_duration(Duration.of(value).nanos)


@render.register(bytes)
@render.register(bytearray)
def _(value: bytes | bytearray) -> str:
    return _BINARY_TAG + base64.b64encode(value).decode("ascii")


@render.register
def _(value: Enum) -> str:
    return value.name


@render.register(list)
@render.register(tuple)
def _(value: list[Any] | tuple[Any, ...]) -> str:
    return format_list(render(item) for item in value)


@render.register(Mapping)
def _(value: Mapping[Any, Any]) -> str:
    return format_map({render(key): render(item) for key, item in value.items()})


def _boolean(raw: object) -> bool:
    text = render(raw).lower()
    if text not in ("true", "false"):
        raise ValueError("write true or false")
    return text == "true"


def _whole(raw: object, low: int, high: int) -> int:
    text = render(raw)
    if not _WHOLE.fullmatch(text):
        raise ValueError("write a whole number, such as 42")
    number = int(text)
    if not low <= number <= high:
        raise ValueError(f"write a number from {low} to {high}")
    return number


def _real(raw: object) -> float:
    text = render(raw).strip()
    try:
        return float(_SPECIAL_FLOATS.get(text, text))
    except ValueError:
        raise ValueError("write a number, such as 1.5") from None


def _duration(raw: object) -> Duration:
    return raw if isinstance(raw, Duration) else Duration.parse(render(raw))


def _memory(raw: object) -> MemorySize:
    return raw if isinstance(raw, MemorySize) else MemorySize.parse(render(raw))


def _bytes(raw: object) -> bytes:
    if isinstance(raw, (bytes, bytearray)):
        return bytes(raw)
    text = render(raw)
    if not text.startswith(_BINARY_TAG):
        raise ValueError("set it with set_bytearray")
    return base64.b64decode(text[len(_BINARY_TAG) :])


def _map(raw: object) -> dict[str, str]:
    if isinstance(raw, Mapping):
        return {render(key): render(value) for key, value in raw.items()}
    return parse_map(render(raw))


def _items(raw: object, parse: Callable[[object], T]) -> list[T]:
    items = raw if isinstance(raw, (list, tuple)) else parse_list(render(raw))
    return [parse(item) for item in items]


def _choice(raw: object, choices: tuple[str, ...]) -> str:
    text = render(raw)
    for choice in choices:
        if text.lower() == choice.lower():
            return choice
    raise ValueError(f"write one of {', '.join(choices)}")


def _member(raw: object, members: type[E]) -> E:
    if isinstance(raw, members):
        return raw
    return members[_choice(raw, tuple(members.__members__))]


BOOLEAN: ValueType[bool] = ValueType("Boolean", _boolean)
INT: ValueType[int] = ValueType("Integer", partial(_whole, low=-(2**31), high=2**31 - 1))
LONG: ValueType[int] = ValueType("Long", partial(_whole, low=MIN_LONG_VALUE, high=MAX_LONG_VALUE))
FLOAT: ValueType[float] = ValueType("Float", _real)
DOUBLE: ValueType[float] = ValueType("Double", _real)
STRING: ValueType[str] = ValueType("String", render)
DURATION: ValueType[Duration] = ValueType("Duration", _duration)
MEMORY: ValueType[MemorySize] = ValueType("MemorySize", _memory)
BYTES: ValueType[bytes] = ValueType("Bytes", _bytes)
MAP: ValueType[dict[str, str]] = ValueType("Map", _map)


def list_of(element: ValueType[T]) -> ValueType[list[T]]:
    """Returns the type of lists whose elements have the given type."""
    return ValueType(f"List<{element.name}>", partial(_items, parse=element.parse))


def one_of(*choices: str) -> ValueType[str]:
    """Returns the type of strings that must be one of a few, in upper or lower case."""
    return ValueType(f"one of {', '.join(choices)}", partial(_choice, choices=choices))


def enum_of(members: type[E]) -> ValueType[E]:
    """Returns the type of the members of an enum, read by their name in upper or lower case."""
    return ValueType(f"one of {', '.join(members.__members__)}", partial(_member, members=members))
