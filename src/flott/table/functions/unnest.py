"""UNNEST: the elements of an array, or the entries of a map, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.functions.registry import SignatureError
from flott.table.types import ArrayType, DataTypes, MapType, RowField, RowType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.table.types import DataType


class Unnest:
    """UNNEST as a table function: rows in an array become columns; WITH ORDINALITY the number of each comes last.

    >>> unnest = Unnest(DataTypes.ARRAY(DataTypes.STRING()), ordinality=True)
    >>> list(unnest.evaluator()(["a", "b"]))
    [('a', 1), ('b', 2)]
    """

    kind = "table"
    name = "UNNEST"
    input_types = None

    def __init__(self, kind: DataType, *, ordinality: bool) -> None:
        self.ordinality = ordinality
        self.spread = False
        """Whether each element is a row, whose fields become columns."""
        if isinstance(kind, ArrayType):
            element = kind.element_type
            self.spread = isinstance(element, RowType)
            fields = element.fields if isinstance(element, RowType) else (RowField("EXPR$0", element),)
        elif isinstance(kind, MapType):
            self.spread = True
            fields = (RowField("KEY", kind.key_type), RowField("VALUE", kind.value_type))
        else:
            raise SignatureError(f"UNNEST takes an array or a map, not {kind!r}")
        number = (RowField("ORDINALITY", DataTypes.INT().not_null()),) if ordinality else ()
        self.fields = (*fields, *number)
        self.result_type = DataTypes.ROW(list(self.fields))

    def evaluator(self) -> Callable[[Any], Iterator[tuple[Any, ...]]]:
        """Return what makes rows of a value."""
        return self._rows

    def _rows(self, value: Any) -> Iterator[tuple[Any, ...]]:
        width = len(self.fields) - self.ordinality
        elements = value.items() if isinstance(value, dict) else value or ()
        for number, element in enumerate(elements, 1):
            if not self.spread:
                row: tuple[Any, ...] = (element,)
            else:
                row = (None,) * width if element is None else tuple(element)
            yield (*row, number) if self.ordinality else row

    def open(self, context: Any) -> None:
        """Nothing has to be prepared."""

    def close(self) -> None:
        """Nothing has to be released."""

    def is_deterministic(self) -> bool:
        """Equal arrays have equal elements."""
        return True
