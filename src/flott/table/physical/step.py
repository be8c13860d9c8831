"""A step of the physical plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.table.arrow_types import to_arrow_type
from flott.table.errors import NotYetError
from flott.table.runtime.key_hash import ColumnsHash
from flott.table.types import ArrayType, MapType, RowType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.operator import Operator
    from flott.runtime.partitioners import Partitioner
    from flott.table.plan.nodes import Field


@dataclass(frozen=True, slots=True)
class Step:
    """One operator of a plan, or a union, or a source."""

    name: str
    detail: str
    fields: tuple[Field, ...]
    append_only: bool
    """Whether it only adds rows."""
    inputs: tuple[Step, ...] = ()
    operator: Callable[[], Operator] | None = None
    """Makes the operator; None for a union and for a source."""
    exchanges: tuple[Partitioner | None, ...] = ()
    """How rows of each input are spread; None as they come."""
    source: Callable[[Any], Any] | None = None
    """Makes the stream of a source in an environment."""

    def __post_init__(self) -> None:
        for below, exchange in zip(self.inputs, self.exchanges, strict=False):
            if isinstance(exchange, ColumnsHash):
                refuse_nested([below.fields[place] for place in exchange.positions], f"{self.name} by key")

    @property
    def changes(self) -> str:
        """The kinds of rows that come out."""
        return "I" if self.append_only else "I,UB,UA,D"

    def arrow_types(self) -> tuple[Any, ...]:
        """Return the Arrow types of the columns."""
        return tuple(to_arrow_type(field.type) for field in self.fields)


def refuse_nested(fields: Iterable[Field], what: str) -> None:
    """Refuse columns of arrays, maps or rows where they are compared."""
    for field in fields:
        if isinstance(field.type, (ArrayType, MapType, RowType)):
            raise NotYetError(
                f"{what} can't be run yet over column '{field.name}', which is {field.type!r}; select its parts instead"
            )
