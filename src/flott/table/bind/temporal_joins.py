"""JOIN … FOR SYSTEM_TIME AS OF: with the versions of a table, or with a table whose rows can be looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.ranking import columns_for
from flott.table.bind.scope import Scope, wrong
from flott.table.bind.unique_key import unique_key
from flott.table.errors import NotYetError, ValidationError
from flott.table.expr import Call, Expr, InputRef, conjunction, conjuncts, shifted
from flott.table.plan.nodes import PROCTIME, Field, Node, Scan, Watermark, project
from flott.table.plan.temporal import LookupJoin, TemporalJoin
from flott.table.types import IntegralType, is_text

if TYPE_CHECKING:
    from sqlglot import exp

KINDS = {"": "INNER", "INNER": "INNER", "LEFT": "LEFT"}


def temporal_join(
    left: Node, right: Node, join: exp.Join, as_of: exp.Expr, scopes: tuple[Scope, Scope], users: dict[str, Any]
) -> Node:
    """Return a join with a table as it was at the time of each row; ``scopes`` are those of left and of both."""
    before, both = scopes
    kind = KINDS.get((join.side or "").upper())
    if kind is None or (join.kind or "INNER").upper() not in {"INNER", "OUTER"}:
        raise NotYetError("with FOR SYSTEM_TIME AS OF a join is an inner or a LEFT one", both.text)
    time = ExpressionBinder(before, users).bind(as_of)
    field = left.fields[time.index] if isinstance(time, InputRef) else None
    if field is None or not (field.is_rowtime or field.role == PROCTIME):
        raise wrong(
            f"FOR SYSTEM_TIME AS OF takes event time or processing time of the left table, and '{as_of.sql()}' is "
            f"neither", as_of, both.text,
        )  # fmt: skip
    on = join.args.get("on")
    if on is None:
        raise ValidationError("FOR SYSTEM_TIME AS OF needs ON with the key of the table", both.text, 0)
    parts = conjuncts(ExpressionBinder(both, users).condition(on, "ON"))
    place = time.index if isinstance(time, InputRef) else -1
    made = _Parts(left, right, parts)
    if field.role == PROCTIME:
        return _lookup(made, kind, both.text)
    return _versioned(made, kind, place, both.text)


class _Parts:
    """The condition of a join, taken apart: columns that are equal, those of the left computed if need be."""

    def __init__(self, left: Node, right: Node, parts: list[Expr]) -> None:
        width = len(left.fields)
        exprs: list[Expr] = []
        self.right_keys: list[int] = []
        rest: list[Expr] = []
        for part in parts:
            pair = _equality(part, width)
            if pair is None:
                rest.append(part)
            else:
                exprs.append(pair[0])
                self.right_keys.append(pair[1])
        self.width = width
        self.right = right
        self.left, self.left_keys = columns_for(left, exprs)
        added = len(self.left.fields) - width
        moves = {place: place + (added if place >= width else 0) for place in range(width + len(right.fields))}
        self.condition = conjunction([shifted(part, moves) for part in rest])

    @property
    def keys(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The columns that are equal."""
        return tuple(self.left_keys), tuple(self.right_keys)

    def fields(self, kind: str) -> tuple[Field, ...]:
        """Return the columns of the join: time goes on with the left."""
        rights = [field.plain() for field in self.right.fields]
        if kind == "LEFT":
            rights = [Field(field.name, field.type.nullable()) for field in rights]
        return (*self.left.fields, *rights)

    def without_added(self, node: Node) -> Node:
        """Leave the computed keys out again."""
        added = len(self.left.fields) - self.width
        if not added:
            return node
        refs = node.refs()
        kept = [*refs[: self.width], *refs[self.width + added :]]
        names = [field.name for field in node.fields]
        return project(node, kept, [*names[: self.width], *names[self.width + added :]])


def _equality(part: Expr, width: int) -> tuple[Expr, int] | None:
    """Return what is equal to a column of the right: an expression of the left, and the column."""
    if not isinstance(part, Call) or part.function != "=":
        return None
    for one, other in (part.args, part.args[::-1]):
        column = _column(other)
        used = one.inputs()
        if column is not None and column.index >= width and used and max(used) < width:
            return _bare(one), column.index - width
    return None


def _column(expr: Expr) -> InputRef | None:
    """Return a column, also under a cast that changes no value."""
    bare = _bare(expr)
    return bare if isinstance(bare, InputRef) else None


def _bare(expr: Expr) -> Expr:
    if isinstance(expr, Call) and expr.function == "CAST":
        source, target = expr.args[0].type, expr.type
        if isinstance(source, IntegralType) and isinstance(target, IntegralType) and source.bits <= target.bits:
            return expr.args[0]
        if is_text(source) and is_text(target):
            return expr.args[0]
    return expr


def _versioned(parts: _Parts, kind: str, time: int, text: str) -> Node:
    right = parts.right
    times = [place for place, field in enumerate(right.fields) if field.is_rowtime]
    key = unique_key(right)
    if key is None:
        raise ValidationError(
            "FOR SYSTEM_TIME AS OF needs a table with a PRIMARY KEY, or a view of the last row of each key: "
            "SELECT … FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY at DESC) AS rn …) WHERE rn = 1",
            text, 0,
        )  # fmt: skip
    if not times:
        raise ValidationError(
            "FOR SYSTEM_TIME AS OF event time needs a table with event time; declare WATERMARK FOR it", text, 0
        )
    missing = [right.fields[place].name for place in key if place not in parts.right_keys]
    if missing:
        raise ValidationError(
            f"ON must say what the key of the table is equal to, and '{missing[0]}' is not in it", text, 0
        )
    node = TemporalJoin(parts.fields(kind), parts.left, right, kind, parts.keys, (time, times[0]), parts.condition)
    return parts.without_added(node)


def _lookup(parts: _Parts, kind: str, text: str) -> Node:
    scan = parts.right.input if isinstance(parts.right, Watermark) else parts.right
    if not isinstance(scan, Scan):
        raise NotYetError(
            "FOR SYSTEM_TIME AS OF processing time looks rows up in a table, not in a view and not with computed "
            "columns; of event time it can join versions",
            text,
        )  # fmt: skip
    if not parts.right_keys:
        raise ValidationError("ON must say which columns of the table are equal to something", text, 0)
    node = LookupJoin(
        parts.fields(kind), parts.left, kind, scan.path, scan.table, scan.fields, parts.keys, parts.condition
    )
    return parts.without_added(node)
