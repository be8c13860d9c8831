"""JOIN … USING and NATURAL JOIN: columns of the same name on both sides become one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.bind.scope import Scope, SharedColumn, wrong
from flott.table.expr import conjunction, shifted
from flott.table.functions.registry import SignatureError, functions

if TYPE_CHECKING:
    from flott.table.expr import Expr


def with_shared_columns(join: exp.Join, kind: str, left: Scope, right: Scope) -> tuple[Expr | None, Scope]:
    """Return the condition of such a join, and the names behind it: ``*`` has the shared columns once, and first.

    A shared column has the value of the side that is there: in a FULL JOIN that may be either.
    """
    both = left.joined(right)
    width = len(left.fields)
    parts: list[Expr] = []
    shared: list[SharedColumn] = []
    for column in _columns(join, left, right):
        one, other = _resolved(left, column), shifted(_resolved(right, column), width)
        try:
            parts.append(functions()["="].bind("=", [one, other]))
        except SignatureError as error:
            raise wrong(f"column '{column.name}' of both tables: {error}", column, left.text) from None
        value = other if kind == "RIGHT" else one
        if kind == "FULL":
            value = functions()["COALESCE"].bind("COALESCE", [_nullable(one), _nullable(other)])
        shared.append(SharedColumn(column.name, value, frozenset(one.inputs() | other.inputs())))
    names = {column.name for column in shared}
    before = tuple(column for column in both.shared if column.name not in names)
    return conjunction(parts), replace(both, shared=(*shared, *before))


def _columns(join: exp.Join, left: Scope, right: Scope) -> list[exp.Column]:
    """Return the columns that are shared: those that USING names, or all whose names are on both sides."""
    using = join.args.get("using")
    if using:
        for one in using:
            if not isinstance(one, (exp.Identifier, exp.Column)):
                raise wrong("USING takes columns of both tables, as in USING (id)", one, left.text)
        # A copy, because the tree of a view is bound again and again.
        return [exp.column(one.copy()) if isinstance(one, exp.Identifier) else one for one in using]
    theirs = {name for _, name in right.columns_of(join, None)}
    return [exp.column(name, quoted=True) for _, name in left.columns_of(join, None) if name in theirs]


def _resolved(scope: Scope, column: exp.Column) -> Expr:
    return scope.resolve(column)[0]


def _nullable(expr: Expr) -> Expr:
    return replace(expr, type=expr.type.nullable())
