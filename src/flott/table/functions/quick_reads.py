"""Texts to numbers and times by Arrow, all at once, where it reads them as CAST does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from flott.table import types as t
from flott.table.arrow_types import to_arrow_type

if TYPE_CHECKING:
    from flott.table.types import DataType

TIMESTAMP = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?$"
WHOLE = r"^-?\d{1,18}$"


def quick_read(column: Any, target: DataType) -> Any | None:
    """Return a column of texts as whole numbers or timestamps; None if one of them needs a closer look.

    >>> from flott.table.types import DataTypes
    >>> quick_read(pa.array(["2020-01-31 12:00:00.5"]), DataTypes.TIMESTAMP(3)).to_pylist()
    [datetime.datetime(2020, 1, 31, 12, 0, 0, 500000)]
    """
    form = TIMESTAMP if isinstance(target, t.TimestampType) else WHOLE if isinstance(target, t.IntegralType) else None
    if form is None or isinstance(column, pa.Scalar):
        return None
    if not pc.all(pc.match_substring_regex(column, form), min_count=0).as_py():
        return None
    try:
        made = column.cast(to_arrow_type(target))
    except pa.ArrowInvalid:
        return None  # Such as the thirteenth month: whoever looks closer says so.
    if isinstance(target, t.TimestampType):
        from flott.table.functions.casts import cut_to_precision

        return cut_to_precision(made, target.precision)
    return made
