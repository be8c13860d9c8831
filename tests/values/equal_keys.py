"""Keys that are one key although they differ, by kind; and keys that are refused.

The table of the design: what is on one line is one key, what is on two lines of a kind are two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from tests.values import own_types as own

from flott.common import Row

BERLIN, LIMA = ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=-5))
NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


def new(text):
    """Return an equal string that is another object."""
    return "".join(list(text))


ann, bob = "ann lee", "bob ray"

KINDS = {
    "none": [[None], ["None"], [0]],
    "integer": [[5, 5.0], [1, True, 1.0], [0, False, 0.0, -0.0], [-5], [2**70, float(2**70)], [2**70 + 1]],
    "float": [[0.5], [0.1], [math.inf], [-math.inf], [1e300]],
    "string": [[ann, new(ann)], [bob, own.Label(bob)], [""], ["5"], ["ü\ud800"]],
    "bytes": [[b"a", bytes([97])], [own.Digest(b"b"), b"b"], [b""], ["a"]],
    "tuple": [[(ann, 1), (new(ann), 1.0)], [(ann, 2)], [(1,)], [1], [((1, 2), 3), ((1.0, 2), 3)], [()]],
    "numpy integer": [[5, np.int64(5), np.int8(5), np.uint64(5)], [1, np.bool_(True), True], [np.int32(-7), -7]],
    "numpy float": [[0.5, np.float64(0.5), np.float32(0.5)], [np.float32(0.1), float(np.float32(0.1))], [0.1]],
    "NaN": [[math.nan, -math.nan, np.float64("nan"), np.float32("nan"), Decimal("NaN")], [0.0]],
    "decimal": [
        [Decimal("0.5"), 0.5, Decimal("0.50"), Fraction(1, 2)],
        [Decimal(7), 7, Fraction(7)],
        [Decimal("0.1"), Fraction(1, 10), Decimal("0.100")],
        [0.1],
    ],
    "numpy string": [[np.str_("a"), "a"], [np.bytes_(b"b"), b"b", bytearray(b"b"), memoryview(b"b").tobytes()]],
    "date": [[date(2024, 7, 1)], [datetime(2024, 7, 1)]],  # noqa: DTZ001 - with no zone
    "datetime": [
        [NOON, NOON.astimezone(BERLIN), NOON.astimezone(LIMA), pd.Timestamp(NOON)],
        [datetime(2024, 7, 1, 12), pd.Timestamp("2024-07-01 12:00"), np.datetime64("2024-07-01T12:00")],  # noqa: DTZ001
        [pd.NaT, np.datetime64("NaT")],
    ],
    "time": [[time(10, tzinfo=UTC), time(5, tzinfo=LIMA)], [time(10)]],
    "timedelta": [[timedelta(hours=1), pd.Timedelta(hours=1), np.timedelta64(3600, "s")], [timedelta(0)]],
    "uuid": [[UUID(int=5), UUID(str(UUID(int=5)))], [5]],
    "sequence": [[(ann, 1), [new(ann), 1], own.Point(ann, 1), own.Pair((ann, 1.0))], [(1, ann)]],
    "set": [
        [frozenset([ann, bob]), frozenset([bob, new(ann)]), {ann, bob}],
        [frozenset([ann])],
        [frozenset()],
        [frozenset([0, 8]), frozenset([8, 0]), {np.int64(8), 0.0}],
        [frozenset([1, math.nan]), {True, np.float64("nan")}],
    ],
    "row": [
        [Row(ann, ann), Row(ann, new(ann)), Row(new(ann), new(ann))],
        [Row(user=ann, n=1), Row(n=1.0, user=new(ann))],
        [Row(ann, bob)],
        [Row(user=ann, n=math.nan), Row(n=np.float64("nan"), user=ann)],
        [Row([1.0]), Row((1,))],
    ],
    "dataclass": [
        [own.Place(ann, ann), own.Place(ann, new(ann)), own.Place(new(ann), new(ann))],
        [own.Place(bob, 1), own.Place(bob, 1.0)],
    ],
    "enum": [[own.Color.RED], [own.Color.BLUE], [own.Level.LOW, 1], [own.Name.ANN, "ann"]],
}

APART = (
    "numpy integer", "NaN", "decimal", "date", "datetime", "time", "timedelta", "sequence", "set", "row", "dataclass",
    "numpy string",
)  # fmt: skip
"""Kinds of which no key of one is a key of another, so that one job can have them all."""


def records_apart():
    """Return each key of these kinds with the name of its line: first one half of each line, then the other."""
    lines = [(f"{kind} {number}", line) for kind in APART for number, line in enumerate(KINDS[kind])]
    return [(name, key) for half in (0, 1) for name, line in lines for key in line[half::2]]


@dataclass
class Changing:
    """Its fields may be set, so it may not be a key."""

    user: str


class OwnEquality:
    def __init__(self, user):
        self.user = user

    def __eq__(self, other):
        return self.user.lower() == other.user.lower()

    def __hash__(self):
        return hash(self.user.lower())


class Folded(str):
    __slots__ = ()

    def __eq__(self, other):
        return self.lower() == other.lower()

    def __hash__(self):
        return hash(self.lower())


REFUSED = {
    "dict": {"a": 1},
    "ndarray": np.arange(2),
    "complex": 1 + 2j,
    "Visit": own.Visit("/"),
    "Changing": Changing(ann),
    "OwnEquality": OwnEquality(ann),
    "Folded": Folded(ann),
}
