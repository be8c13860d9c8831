"""Classes of users' modules whose objects travel as records: each kind of class that Python programs have."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, Flag, IntEnum, auto
from typing import Any, NamedTuple


@dataclass
class Order:
    user: Any
    items: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Place:
    city: Any
    zone: Any = None


@dataclass(slots=True)
class Slotted:
    first: Any
    second: Any = None


class Point(NamedTuple):
    x: Any
    y: Any = None


class Color(Enum):
    RED = "red"
    BLUE = ("blue", 1)


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Name(str, Enum):
    ANN = "ann"
    BOB = "bob"


class Rights(Flag):
    READ = auto()
    WRITE = auto()


class Visit:
    """A plain class, as people write it."""

    def __init__(self, page, seconds=None):
        self.page = page
        self.seconds = seconds


class Count(int):
    pass


class Ratio(float):
    pass


class Label(str):
    __slots__ = ("origin",)


class Digest(bytes):
    pass


class Pair(tuple):  # noqa: SLOT001 - with a __dict__, as most have
    pass


class Basket(list):
    pass


class Settings(dict):
    pass


class Tags(set):
    pass
