"""What a window of columns computes: which fields go in, which partials travel, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from flott.runtime.columns import ColumnBatch, RecordShape
from flott.runtime.windowing.session_assigners import EventTimeSessionWindows
from flott.runtime.windowing.vectorised.aggregates import Aggregate
from flott.runtime.windowing.vectorised.partials import KEY, ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from flott.runtime.windowing.vectorised.aggregates import Part
    from flott.runtime.windowing.vectorised.partials import Partials

Output: TypeAlias = "Aggregate | Literal['key', 'start', 'end'] | tuple[Literal['first'], str]"
"""A field of a result: an aggregate, the key, a bound of the window, or a field as the first record had it."""


@dataclass(frozen=True, slots=True)
class AggregatePlan:
    """A window operation on columns."""

    assigner: Any
    key: str
    types: dict[str, Any]
    """The Arrow type of every field of a record, in their order."""
    outputs: tuple[tuple[str, Output], ...]
    """The fields of a result, by name."""
    tuples: bool = False
    """Whether results are tuples instead of Rows."""
    required: tuple[str, ...] = ()
    """Fields that no record may have None in."""
    lateness: int = 0

    @property
    def sessions(self) -> bool:
        """Whether windows are sessions, which have no panes."""
        return isinstance(self.assigner, EventTimeSessionWindows)

    def parts(self) -> tuple[Part, ...]:
        """Return the columns of partials, each once; how many records there are is always among them."""
        found: dict[Part, None] = {ROWS: None}
        for _, output in self.outputs:
            if isinstance(output, Aggregate):
                found.update(dict.fromkeys(output.columns()))
            elif isinstance(output, tuple):
                found[output] = None
        return tuple(found)

    def fields(self) -> list[str]:
        """Return the fields that are needed besides the key."""
        return list(dict.fromkeys(field for _, field in self.parts() if field is not None))

    def stored(self, parts: Sequence[Part] | None = None) -> Any:
        """Return the Arrow schema of partials of one pane, or of keys and some other parts."""
        columns = [(KEY, self.types[self.key])]
        for kind, field in self.parts() if parts is None else parts:
            name = f"{kind}:{field}"
            if kind == "first":
                columns.append((name, self.types[field]))  # type: ignore[index]
            elif field is None or kind == "filled":
                columns.append((name, pa.int64()))
            else:
                floating = pa.types.is_floating(self.types[field])
                columns.append((name, pa.float64() if floating else pa.int64()))
        return pa.schema(columns)

    def results(
        self, partials: Partials, starts: NDArray[np.int64] | int, ends: NDArray[np.int64] | int
    ) -> ColumnBatch:
        """Return the results of windows that fire, each stamped with the last moment of its window."""
        bounds = {
            name: np.full(len(partials), moments, np.int64) if isinstance(moments, int) else moments
            for name, moments in (("start", starts), ("end", ends))
        }
        arrays = []
        for _, output in self.outputs:
            if isinstance(output, Aggregate):
                arrays.append(output.result(partials.columns))
            elif isinstance(output, tuple):
                arrays.append(partials.columns[output])
            elif output == "key":
                arrays.append(partials.keys)
            else:
                arrays.append(pa.array(bounds[output]))
        shape = RecordShape(tuple(name for name, _ in self.outputs), self.tuples)
        return ColumnBatch(tuple(arrays), shape, bounds["end"] - 1)
