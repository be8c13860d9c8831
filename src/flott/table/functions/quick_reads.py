"""Texts to numbers and times by Arrow, all at once, where it reads them as CAST does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.table import types as t
from flott.table.arrow_types import to_arrow_type

if TYPE_CHECKING:
    from flott.table.types import DataType

SHORTEST_TIMESTAMP = len("2020-01-31 12:00:00")
"""Arrow also reads shorter ones, such as a date alone. Of these it reads just those that CAST reads."""
WHOLE = r"^-?\d{1,18}$"


def quick_read(column: Any, target: DataType) -> Any | None:
    """Return a column of texts as whole numbers or timestamps; None if one of them needs a closer look.

    >>> from flott.table.types import DataTypes
    >>> quick_read(pa.array(["2020-01-31 12:00:00.5"]), DataTypes.TIMESTAMP(3)).to_pylist()
    [datetime.datetime(2020, 1, 31, 12, 0, 0, 500000)]
    """
    if isinstance(column, pa.Scalar) or not _has_usual_form(column, target):
        return None
    try:
        made = column.cast(to_arrow_type(target))
    except pa.ArrowInvalid:
        return None  # Such as the thirteenth month: whoever looks closer says so.
    if isinstance(target, t.TimestampType):
        from flott.table.functions.casts import cut_to_precision

        return cut_to_precision(made, target.precision)
    return made


def _has_usual_form(column: Any, target: DataType) -> bool:
    if isinstance(target, t.TimestampType):
        shortest = pc.min(pc.binary_length(column)).as_py()
        return shortest is None or shortest >= SHORTEST_TIMESTAMP
    if isinstance(target, t.IntegralType):
        return bool(pc.all(pc.match_substring_regex(column, WHOLE), min_count=0).as_py())
    return False
