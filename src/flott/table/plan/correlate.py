"""Rows with the rows that a table function makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.table.plan.nodes import OneInput, show

if TYPE_CHECKING:
    from flott.table.expr import UserCall


@dataclass(frozen=True, slots=True)
class Correlate(OneInput):
    """Puts each row together with each row that a function of it gives."""

    call: UserCall
    outer: bool
    """Whether a row for which the function gives nothing is handed on, with NULLs."""

    @property
    def detail(self) -> str:
        kind = "LEFT" if self.outer else "INNER"
        return f"invocation=[{show(self.call, self.input)}], joinType=[{kind}]"
