"""Records for runs that are too expensive for drawn ones: each kind of value, alone, nested and shared."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
from tests.values import own_types as own
from tests.values.drawn_values import ARRAYS, BUFFERS, NUMBERS, NUMPY_SCALARS, OF_CLASSES, PANDAS, STRINGS

from flott.common import Row, RowKind

SHARED = ["one"]

PLAIN = [None, True, False, 1.5, float("nan"), -0.0, 1 + 2j, b"", b"ab", ..., range(3)]
OTHERS = [
    Decimal("0.50"), Fraction(1, 3), date(2024, 2, 29), time(2, fold=1), datetime(2024, 10, 27, 2, 30, tzinfo=UTC),
    timedelta(-1), UUID(int=5),
]  # fmt: skip
CONTAINERS = [
    (), ("a", 1), [1, [2.0]], {"a": {1: [2]}}, {1, 2}, frozenset({"a"}), deque([1, [2]], maxlen=3),
    defaultdict(list, {"a": [1]}), OrderedDict(b=1, a=2), Counter("abb"), [SHARED, {"again": SHARED}, (SHARED,)],
    Row(1, "a"), Row(a=1, b=Row(c=[1])), Row.of_kind(RowKind.DELETE, "a"), own.Order("ann", [1]),
    own.Place("Rome", [1]), own.Slotted([1]), own.Point(1, {"n": 0}), own.Visit("/", 1), own.Pair((1, [2])),
    own.Basket([1]), own.Settings(a=1), own.Tags({"a"}),
]  # fmt: skip
NESTED = [
    ("k", np.float64(0.5)), [np.int32(7), {"x": np.arange(3)}], {"a": (bytearray(b"x"), [np.str_("s")])},
    Row(a=np.datetime64("2024-01-01"), b=[np.bool_(True)]), own.Order("ann", [np.arange(2), bytearray(b"y")]),
    defaultdict(list, {"a": [np.float32(0.1)]}), deque([np.zeros(2), own.Count(5)]), (own.Label("l"), own.Color.RED),
]  # fmt: skip

EACH_KIND = [
    *PLAIN, *STRINGS, *NUMBERS, *NUMPY_SCALARS, *ARRAYS, *BUFFERS, *PANDAS, *OF_CLASSES, *OTHERS, *CONTAINERS, *NESTED,
]  # fmt: skip
