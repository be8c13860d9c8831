"""Windows in GROUP BY: TUMBLE(at, INTERVAL '1' MINUTE) with TUMBLE_START and the like, as Flink had them first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.ranking import columns_for
from flott.table.bind.scope import Relation, wrong
from flott.table.bind.windows import check_time, milliseconds, windowed
from flott.table.errors import NotYetError
from flott.table.expr import InputRef
from flott.table.plan.nodes import SESSION, Windows

if TYPE_CHECKING:
    from flott.table.bind.scope import Scope
    from flott.table.plan.nodes import Node

KINDS = {"TUMBLE": 2, "HOP": 3, SESSION: 2}
"""How many arguments each has: the time and its lengths."""
ASKED = {"START": 0, "END": 1, "ROWTIME": 2, "PROCTIME": 2}


def with_group_window(
    tree: exp.Select, node: Node, scope: Scope, users: dict[str, Any]
) -> tuple[exp.Select, Node, Scope]:
    """Return a query whose group window is a window table function, with the plan and the names below it."""
    group = tree.args.get("group")
    found = [] if group is None else [part for part in group.expressions if _kind(part) in KINDS]
    if not found:
        return tree, node, scope
    if len(found) > 1:
        raise NotYetError("only a single window can stand in GROUP BY", scope.text)
    return _GroupWindow(tree, found[0], node, scope, users).applied()


def _kind(node: exp.Expr) -> str:
    return str(node.this).upper() if isinstance(node, exp.Anonymous) else ""


class _GroupWindow:
    def __init__(self, tree: exp.Select, call: exp.Expr, node: Node, scope: Scope, users: dict[str, Any]) -> None:
        self.tree = tree
        self.call = call
        self.node = node
        self.scope = scope
        self.binder = ExpressionBinder(scope, users)
        self.kind = _kind(call)

    def applied(self) -> tuple[exp.Select, Node, Scope]:
        args = self.call.expressions
        if len(args) != KINDS[self.kind]:
            rest = "the slide and the size" if self.kind == "HOP" else "a length"
            raise wrong(f"{self.kind} in GROUP BY takes the time and {rest}", self.call, self.scope.text)
        time = self.binder.bind(args[0])
        if not isinstance(time, InputRef):
            raise wrong(f"{self.kind} in GROUP BY takes a column of event time", self.call, self.scope.text)
        check_time(self.node.fields[time.index], args[0], self.scope.text)
        lengths = [milliseconds(arg, self.scope.text) for arg in args[1:]]
        windows = Windows(self.kind, lengths[-1], lengths[0] if self.kind == "HOP" else 0, grouped=True)
        keys = [key for key in self.tree.args["group"].expressions if key is not self.call]
        partition: list[int] = []
        below = self.node
        if self.kind == SESSION:
            below, partition = columns_for(self.node, [self.binder.bind(key) for key in keys])
        table = windowed(below, time.index, windows, tuple(partition))
        width = len(self.node.fields)
        relation = Relation(None, width, table.fields[width:])
        scope = replace(self.scope, relations=(*self.scope.relations, relation))
        return self._rewritten(keys, partition, scope, len(below.fields)), table, scope

    def _rewritten(self, keys: list[exp.Expr], partition: list[int], scope: Scope, first: int) -> exp.Select:
        """Return the query with the columns of the window instead of the functions that ask for them."""
        known = [scope.column(place) for place in partition] or keys
        computed = {key.sql(): column for key, column in zip(keys, known, strict=True) if partition}
        width = len(self.node.fields)
        stands = {text: column for text, column in computed.items() if _place(column) >= width}

        def change(part: exp.Expr) -> exp.Expr:
            if part.sql() in stands:
                return stands[part.sql()].copy()
            kind, _, asked = _kind(part).rpartition("_")
            if kind not in KINDS or asked not in ASKED:
                return part
            if kind != self.kind or part.sql().partition("(")[2] != self.call.sql().partition("(")[2]:
                raise wrong(
                    f"{kind}_{asked}(…) needs the same {kind}(…) in GROUP BY; here it is {self.call.sql()}", part,
                    scope.text,
                )  # fmt: skip
            return scope.column(first + ASKED[asked])

        made = self.tree.copy()
        made.set("expressions", [item.transform(change) for item in made.expressions])
        if made.args.get("having") is not None:
            made.args["having"].set("this", made.args["having"].this.transform(change))
        bounds = [scope.column(first + place) for place in range(3)]
        kept = [stands[key.sql()].copy() if key.sql() in stands else key.copy() for key in keys]
        made.set("group", exp.Group(expressions=[*kept, *bounds]))
        return made


def _place(column: exp.Expr) -> int:
    return int(column.name[1:]) if column.name[1:].isdigit() else -1
