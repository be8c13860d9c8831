"""What is shown of a stream's record: the names of its columns, and a text for each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from flott.common.types import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cells_of", "columns_of"]


def columns_of(record: Any) -> list[str]:
    """Return the names of a record's columns.

    >>> columns_of(Row(city="Rome", visits=2)), columns_of(("Rome", 2)), columns_of("Rome")
    (['city', 'visits'], ['0', '1'], ['value'])
    """
    if isinstance(record, Row):
        names: Sequence[str] | None = getattr(record, "_fields", None)
        return list(names) if names else [str(place) for place in range(len(record))]
    if is_dataclass(record) and not isinstance(record, type):
        return [one.name for one in fields(record)]
    if isinstance(record, Mapping):
        return [str(key) for key in record]
    if isinstance(record, tuple):
        return list(getattr(record, "_fields", ())) or [str(place) for place in range(len(record))]
    return ["value"]


def cells_of(record: Any, width: int) -> list[str]:
    """Return a text for each of so many columns.

    >>> cells_of(("Rome", 2.5), 2), cells_of({"city": "Rome"}, 1), cells_of(None, 1)
    (['Rome', '2.5'], ['Rome'], ['None'])
    """
    if is_dataclass(record) and not isinstance(record, type):
        values: list[Any] = [getattr(record, one.name) for one in fields(record)]
    elif isinstance(record, Mapping):
        values = list(record.values())
    else:
        values = list(record) if isinstance(record, tuple | Row) else [record]
    if len(values) != width:
        # Records of a stream may differ; those that do not fit the head are shown as they are.
        return [str(record), *[""] * (width - 1)]
    return [str(value) for value in values]
