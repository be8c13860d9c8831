"""Names inside of a sub-query: its own tables first, then those of the query around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flott.table.bind.scope import Scope
from flott.table.errors import SqlError
from flott.table.expr import Expr, shifted

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot import exp

INNER = 2_000_000
"""Columns of the sub-query are counted from here on until it is known where they stand."""


@dataclass(frozen=True, slots=True)
class NestedScope(Scope):
    """The tables of a sub-query; a name that is in none of them is looked for in the query around it."""

    outer: Callable[[exp.Column], Expr] = field(kw_only=True)

    def resolve(self, node: exp.Column) -> tuple[Expr, list[str]]:
        """Return the column that a name means: one of the sub-query's tables counted from ``INNER`` on."""
        try:
            made, rest = Scope.resolve(self, node)
        except SqlError:
            if self._is_own(node):
                raise
            try:
                return self.outer(node), []
            except SqlError:
                pass
            raise
        return shifted(made, INNER), rest

    def _is_own(self, node: exp.Column) -> bool:
        first = node.parts[0].name
        aliases = {relation.alias for relation in self.relations}
        return first in (aliases if node.table else {one.name for one in self.fields})


def looks_outside(expr: Expr) -> bool:
    """Say whether an expression uses a column of the query around."""
    return any(index < INNER for index in expr.inputs())


def looks_inside(expr: Expr) -> bool:
    """Say whether an expression uses a column of the sub-query."""
    return any(index >= INNER for index in expr.inputs())
