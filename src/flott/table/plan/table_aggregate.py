"""Aggregates that give several rows for each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.table.plan.nodes import OneInput

if TYPE_CHECKING:
    from flott.table.expr import AggregateCall


@dataclass(frozen=True, slots=True)
class TableAggregate(OneInput):
    """Groups rows by columns, and computes rows of each group with a function of the user's."""

    keys: tuple[int, ...]
    call: AggregateCall

    @property
    def detail(self) -> str:
        names = [field.name for field in self.input.fields]
        made = ", ".join(field.name for field in self.fields[len(self.keys) :])
        return f"groupBy=[{', '.join(names[key] for key in self.keys)}], select=[{self.call} AS ({made})]"
