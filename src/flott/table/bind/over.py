"""OVER windows of a SELECT: numbers of rows, and aggregates of the rows before a row."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.aggregate_calls import aggregate_call, is_aggregate
from flott.table.bind.ranking import columns_for
from flott.table.bind.scope import wrong
from flott.table.errors import NotYetError, did_you_mean
from flott.table.expr import AggregateCall, Expr, InputRef, Literal, shifted
from flott.table.functions.lag import LAG, MOST, lag_arguments
from flott.table.functions.registry import SignatureError
from flott.table.plan.nodes import PROCTIME, Field, Node, RowNumber, SortKey
from flott.table.plan.over import Frame, OverAggregate
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.bind.expressions import ExpressionBinder

LATER = 1_000_000
"""What OVER windows compute are columns from here on until it is known where they stand."""

NUMBERS = "ROW_NUMBER"
NUMBER = DataTypes.BIGINT().not_null()


@dataclass(frozen=True, slots=True)
class Window:
    """The rows that an OVER looks at."""

    partition: tuple[Expr, ...]
    order: tuple[tuple[Expr, bool, bool], ...]
    """What to sort by, whether it descends, and whether NULLs come first."""
    frame: Frame | None
    """None: of ROW_NUMBER."""


class Overs:
    """Collects the OVER windows of a SELECT while its parts are bound."""

    def __init__(self, text: str, named: Sequence[exp.Expr] = ()) -> None:
        self.text = text
        self.named = {window.name: window for window in named}
        """What the WINDOW clause gives names to."""
        self.found: list[tuple[Window, AggregateCall | None]] = []
        self.arguments: list[Expr] = []
        """What the calls aggregate; calls have positions in here."""

    def hook(self, node: exp.Expr, binder: ExpressionBinder) -> Expr | None:
        """Bind a window; None for everything else."""
        if not isinstance(node, exp.Window):
            return None
        node = self._whole(node)
        inner = node.this
        condition = None
        if isinstance(inner, exp.Filter):
            inner, condition = inner.this, inner.expression.this
        name = str(inner.this).upper() if isinstance(inner, exp.Anonymous) else inner.sql()
        if name not in {NUMBERS, LAG} and not is_aggregate(inner, binder.users):
            raise NotYetError(
                f"{name} OVER (…) can't be run yet; aggregates such as SUM(…) OVER (…), LAG and ROW_NUMBER can",
                self.text,
            )
        window = self._window(node, name, binder)
        if name == LAG:
            call: AggregateCall | None = self._lag(inner, binder)
        else:
            call = None if name == NUMBERS else aggregate_call(inner, condition, binder, self._argument)
        if (window, call) not in self.found:
            self.found.append((window, call))
        kind = NUMBER if call is None else call.type
        return InputRef(kind, LATER + self.found.index((window, call)))

    def _lag(self, node: exp.Expr, binder: ExpressionBinder) -> AggregateCall:
        try:
            args = lag_arguments([binder.bind(argument) for argument in node.expressions])
        except SignatureError as error:
            raise wrong(str(error), node, self.text) from None
        kind = args[0].type if len(node.expressions) == MOST else args[0].type.nullable()
        return AggregateCall(LAG, tuple(self._argument(arg) for arg in args), kind)

    def _whole(self, node: exp.Window) -> exp.Window:
        """Return a window with what it takes over from one of the WINDOW clause."""
        if not node.alias:
            return node
        base = self.named.get(node.alias)
        if base is None:
            raise wrong(f"there is no window '{node.alias}'{did_you_mean(node.alias, self.named)}", node, self.text)
        base = self._whole(base) if isinstance(base, exp.Window) else base
        parts = ("partition_by", "order", "spec")
        taken = {part: node.args.get(part) or base.args.get(part) for part in parts}
        whole = exp.Window(this=node.this.copy(), **{part: taken[part] for part in parts if taken[part]})
        whole.this.meta.update(node.this.meta)
        return whole

    def _argument(self, expr: Expr) -> int:
        if expr not in self.arguments:
            self.arguments.append(expr)
        return self.arguments.index(expr)

    def _window(self, node: exp.Window, name: str, binder: ExpressionBinder) -> Window:
        partition = tuple(binder.bind(part) for part in node.args.get("partition_by") or ())
        order = node.args.get("order")
        if order is None:
            raise wrong(f"{name}(…) OVER (…) needs ORDER BY", node, self.text)
        keys = tuple(
            (binder.bind(key.this), bool(key.args.get("desc")), bool(key.args.get("nulls_first")))
            for key in order.expressions
        )
        spec = node.args.get("spec")
        if name in {NUMBERS, LAG} and spec is not None:
            raise NotYetError(f"ROWS and RANGE of {name}() OVER (…) make no sense; leave them out", self.text)
        if name == NUMBERS:
            return Window(partition, keys, None)
        if len(keys) != 1 or keys[0][1]:
            raise wrong(
                f"{name}(…) OVER (…) takes one time column in ascending order, as in ORDER BY at", order, self.text
            )
        return Window(partition, keys, Frame(name == LAG, None) if spec is None else self._frame(spec, binder))

    def _frame(self, spec: exp.Expr, binder: ExpressionBinder) -> Frame:
        rows = str(spec.args["kind"]).upper() == "ROWS"
        start, side, end = (spec.args.get(part) for part in ("start", "start_side", "end"))
        if end not in {None, "CURRENT ROW"}:
            raise wrong("an OVER window ends with CURRENT ROW: what follows is not known yet", spec, self.text)
        if start == "CURRENT ROW":
            return Frame(rows, 0)
        if side != "PRECEDING":
            raise wrong("an OVER window starts with … PRECEDING or CURRENT ROW", spec, self.text)
        if start == "UNBOUNDED":
            return Frame(rows, None)
        bound = binder.bind(start)  # type: ignore[arg-type]
        value = bound.value if isinstance(bound, Literal) else None
        if rows and isinstance(value, int) and not isinstance(value, bool):
            return Frame(rows, value)
        if not rows and isinstance(value, dt.timedelta):
            return Frame(rows, value // dt.timedelta(milliseconds=1))
        form = "ROWS BETWEEN 5 PRECEDING" if rows else "RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING"
        raise wrong(f"give the start of the window as in {form} AND CURRENT ROW", spec, self.text)

    # The plan

    def plan(self, node: Node, exprs: list[Expr]) -> tuple[Node, list[Expr]]:
        """Return the plan with what OVER windows compute as columns, and the expressions over it."""
        places: dict[int, int] = {}
        for window in dict.fromkeys(window for window, _ in self.found):
            calls = [(number, call) for number, (one, call) in enumerate(self.found) if one == window]
            if window.frame is None:
                node = self._numbered(node, window, calls[0][0])
                places[LATER + calls[0][0]] = len(node.fields) - 1
                continue
            node = self._aggregated(node, window, calls)
            first = len(node.fields) - len(calls)
            places |= {LATER + number: first + place for place, (number, _) in enumerate(calls)}
        moves = _Moves(places)
        return node, [shifted(expr, moves) for expr in exprs]

    def _numbered(self, node: Node, window: Window, number: int) -> Node:
        node, partition = columns_for(node, window.partition)
        node, columns = columns_for(node, [expr for expr, _, _ in window.order])
        order = tuple(
            SortKey(column, descending, nulls_first)
            for column, (_, descending, nulls_first) in zip(columns, window.order, strict=True)
        )
        return RowNumber((*node.fields, Field(f"$rank{number}", NUMBER)), node, tuple(partition), order)

    def _aggregated(self, node: Node, window: Window, calls: list[tuple[int, AggregateCall | None]]) -> Node:
        [(order, _, _)] = window.order
        field = node.fields[order.index] if isinstance(order, InputRef) and order.index < len(node.fields) else None
        if not isinstance(order, InputRef) or field is None or not (field.is_rowtime or field.role == PROCTIME):
            raise NotYetError(
                "an aggregate OVER (…) must be ordered by event time (WATERMARK FOR …) or processing time "
                "(… AS PROCTIME()), which tells when all rows before a row have been seen",
                self.text,
            )
        node, partition = columns_for(node, window.partition)
        node, arguments = columns_for(node, self.arguments)
        made: list[AggregateCall] = []
        fields: list[Field] = []
        for number, call in calls:
            if call is not None:
                made.append(_moved(call, arguments))
                fields.append(Field(f"$over{number}", call.type))
        frame: Any = window.frame
        return OverAggregate((*node.fields, *fields), node, tuple(partition), order.index, frame, tuple(made))


def _moved(call: AggregateCall, places: list[int]) -> AggregateCall:
    return replace(
        call,
        args=tuple(places[position] for position in call.args),
        filter=None if call.filter is None else places[call.filter],
    )


class _Moves(dict[int, int]):
    def __missing__(self, index: int) -> int:
        return index
