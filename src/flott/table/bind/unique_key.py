"""Which columns of a plan tell its rows apart."""

from __future__ import annotations

from flott.table.expr import Call, Expr, InputRef, Literal, substituted
from flott.table.plan import nodes as n


def unique_key(node: n.Node) -> tuple[int, ...] | None:
    """Return the columns of which each value is there at most once at a time; None if that is not known."""
    if isinstance(node, n.Scan | n.StreamScan):
        names = [field.name for field in node.fields]
        key = node.table.schema.key if isinstance(node, n.Scan) else node.key
        return tuple(names.index(name) for name in key) if key and all(name in names for name in key) else None
    if isinstance(node, n.Project):
        return _through(node, unique_key(node.input))
    if isinstance(node, n.Filter):
        return _of_first_row(node.input, node.condition) or unique_key(node.input)
    if isinstance(node, n.Watermark):
        return unique_key(node.input)
    if isinstance(node, n.Aggregate):
        return tuple(range(len(node.keys)))
    return None


def _through(node: n.Project, key: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return where the columns of a key stand behind a projection."""
    if key is None:
        return None
    places = {expr.index: place for place, expr in reversed(list(enumerate(node.exprs))) if isinstance(expr, InputRef)}
    return tuple(places[column] for column in key) if all(column in places for column in key) else None


def _of_first_row(node: n.Node, condition: Expr) -> tuple[int, ...] | None:
    """Return the partition of which a condition keeps only the row of number one."""
    if isinstance(node, n.Project):
        key = _of_first_row(node.input, substituted(condition, node.exprs))
        return _through(node, key)
    if not isinstance(node, n.RowNumber):
        return None
    number = len(node.fields) - 1
    for part in [condition] if not isinstance(condition, Call) or condition.function != "AND" else condition.args:
        if _keeps_one(part, number):
            return node.partition
    return None


def _keeps_one(part: Expr, number: int) -> bool:
    if not isinstance(part, Call) or part.function not in {"=", "<="}:
        return False
    one, other = part.args
    if isinstance(one, Call) and one.function == "CAST":
        one = one.args[0]
    if isinstance(other, Call) and other.function == "CAST":
        other = other.args[0]
    return isinstance(one, InputRef) and one.index == number and isinstance(other, Literal) and other.value == 1
