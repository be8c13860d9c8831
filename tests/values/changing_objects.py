"""Objects that can change, of each kind that programs keep and emit again."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from tests.values import own_types as own

from flott.common import Row

if TYPE_CHECKING:
    from collections.abc import Callable


class Shape(NamedTuple):
    """A kind of object that can change."""

    make: Callable[[], Any]
    change: Callable[[Any], Any]


def grow_array(array):
    array[0] += 1


def longer(visit):
    visit.seconds += 1


def next_n(row):
    row["n"] += 1


def grow_row(row):
    row["all"].append(len(row["all"]))


SHAPES = {
    "dict": Shape(lambda: {"n": 0}, next_n),
    "dict of lists": Shape(lambda: {"all": []}, grow_row),
    "list": Shape(list, lambda kept: kept.append(len(kept))),
    "set": Shape(set, lambda kept: kept.add(len(kept))),
    "deque": Shape(deque, lambda kept: kept.append(len(kept))),
    "tuple with a list": Shape(lambda: ("all", []), lambda pair: pair[1].append(len(pair[1]))),
    "named tuple with a dict": Shape(lambda: own.Point(1, {"n": 0}), lambda point: next_n(point.y)),
    "Row": Shape(lambda: Row(n=0), next_n),
    "Row with a list": Shape(lambda: Row(all=[]), grow_row),
    "dataclass": Shape(lambda: own.Order("ann"), lambda order: order.items.append(len(order.items))),
    "frozen dataclass with a list": Shape(lambda: own.Place([]), lambda place: place.city.append(len(place.city))),
    "slots": Shape(lambda: own.Slotted([]), lambda one: one.first.append(len(one.first))),
    "object": Shape(lambda: own.Visit("/", 0), longer),
    "subclass of dict": Shape(lambda: own.Settings(n=0), next_n),
    "subclass of list": Shape(own.Basket, lambda kept: kept.append(len(kept))),
    "bytearray": Shape(bytearray, lambda kept: kept.append(len(kept))),
    "array": Shape(lambda: np.zeros(2), grow_array),
    "shared": Shape(lambda: [shared := [], shared], lambda pair: pair[0].append(len(pair[0]))),
}


def change(shape, kept):
    SHAPES[shape].change(kept)
    return kept


def after(shape, times):
    """Return an object that was changed so many times."""
    kept = SHAPES[shape].make()
    for _ in range(times):
        SHAPES[shape].change(kept)
    return kept
