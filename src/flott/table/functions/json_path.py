"""Paths into JSON documents, as JSON_VALUE and its kin take them: ``lax $.items[0].name``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from flott.table.functions.registry import SignatureError

if TYPE_CHECKING:
    from collections.abc import Iterator

MODE = re.compile(r"\s*(strict|lax)\s+(.+)", re.IGNORECASE | re.DOTALL)
STEP = re.compile(
    r"(?P<dots>\.{0,2})(?:(?<=\.)(?P<name>[^.\[\]()*\s'\"]+)|(?<=\.)\*|\[\s*(?:\*"
    r"|(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<numbers>-?\d+(?:\s*,\s*-?\d+)*)|(?P<start>-?\d*)\s*:\s*(?P<stop>-?\d*))\s*\])"
)
DEEP = ".."


class NotFoundError(Exception):
    """A strict path leads to nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: into a field, into some elements, or into everything."""

    name: str | None = None
    numbers: tuple[int, ...] = ()
    cut: slice | None = None
    deep: bool = False

    @property
    def single(self) -> bool:
        """Whether it leads to one place at most."""
        return not self.deep and (self.name is not None or len(self.numbers) == 1)

    def take(self, value: Any) -> Iterator[Any]:
        """Go over what is one step from a value."""
        for place in _everything(value) if self.deep else (value,):
            if self.name is not None:
                if isinstance(place, dict) and self.name in place:
                    yield place[self.name]
            elif self.numbers:
                if isinstance(place, list):
                    size = len(place)
                    yield from (place[number] for number in self.numbers if -size <= number < size)
            elif self.cut is not None:
                yield from place[self.cut] if isinstance(place, list) else ()
            else:
                yield from place.values() if isinstance(place, dict) else place if isinstance(place, list) else ()


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path, and what happens where it leads to nothing: an error if it is strict, else nothing."""

    strict: bool
    steps: tuple[Step, ...]

    def find(self, document: Any) -> Any:
        """Return what is at the path; a path that can lead to several places gives a list.

        >>> parse_path("$.a[1]").find({"a": [3, 4]}), parse_path("$.a[*].b").find({"a": [{"b": 1}, {}]})
        (4, [1])
        """
        values = [document]
        for step in self.steps:
            values = [found for value in values for found in step.take(value)]
        if not all(step.single for step in self.steps):
            return values
        if not values and self.strict:
            raise NotFoundError
        return values[0] if values else None


@lru_cache(maxsize=256)
def parse_path(text: str) -> JsonPath:
    """Read a path; without a mode it is strict, and the $ at its start may be left out."""
    matched = MODE.fullmatch(text)
    mode, path = matched.groups() if matched else ("strict", text.strip())
    path = path if path.startswith("$") else f"$.{path}"
    steps: list[Step] = []
    place = 1
    while place < len(path):
        found = STEP.match(path, place)
        if found is None:
            raise SignatureError(
                f"'{text}' is no path into JSON that is known here, from '{path[place:]}' on; steps are "
                "name, ['a name'], [0], [1:3], [*] and ..name"
            )
        steps.append(_step(found))
        place = found.end()
    return JsonPath(mode.lower() == "strict", tuple(steps))


def _step(found: re.Match[str]) -> Step:
    deep, name = found["dots"] == DEEP, found["name"]
    if found["quoted"] is not None:
        name = re.sub(r"\\(.)", r"\1", found["quoted"][1:-1])
    if found["numbers"] is not None:
        return Step(numbers=tuple(int(number) for number in found["numbers"].split(",")), deep=deep)
    if found["start"] is not None:
        first, last = (int(part) if part else None for part in (found["start"], found["stop"]))
        return Step(cut=slice(first, last), deep=deep)
    return Step(name=name, deep=deep)


def _everything(value: Any) -> Iterator[Any]:
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _everything(inner)


def parse_json(text: str) -> Any:
    """Read a document, numbers with a fraction as they are written; what is none is a ValueError."""
    return json.loads(text, parse_constant=_no_constant, parse_float=Decimal)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
