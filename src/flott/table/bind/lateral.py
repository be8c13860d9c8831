"""Table functions in FROM: LATERAL TABLE(f(…)) and UNNEST(…), with the columns of the tables before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Relation, Scope, wrong
from flott.table.errors import NotYetError, ValidationError, did_you_mean
from flott.table.expr import UserCall
from flott.table.functions.registry import SignatureError, cast_to
from flott.table.functions.unnest import Unnest
from flott.table.plan.correlate import Correlate
from flott.table.plan.nodes import Field, one_row, project

if TYPE_CHECKING:
    from flott.table.expr import Expr
    from flott.table.plan.nodes import Node


def is_lateral(tree: exp.Expr) -> bool:
    """Say whether a table of FROM is made of the columns of those before it."""
    return isinstance(tree, (exp.Lateral, exp.Unnest))


def table_function(tree: exp.Expr, users: dict[str, Any]) -> exp.Expr | None:
    """Return a table of FROM that is a call of a table function as LATERAL; None for every other table."""
    if is_lateral(tree):
        return tree
    call = tree.this if isinstance(tree, exp.Table) else None
    if not isinstance(call, exp.Anonymous) or getattr(users.get(str(call.this).upper()), "kind", None) != "table":
        return None
    return exp.Lateral(this=exp.Anonymous(this="TABLE", expressions=[call]), alias=tree.args.get("alias"))


def lateral_join(left: Node, scope: Scope, join: exp.Join, users: dict[str, Any]) -> tuple[Node, Scope]:
    """Return rows with what a table function makes of them, and the names of all columns."""
    side = (join.side or "").upper()
    on = join.args.get("on")
    always = on is None or (isinstance(on, exp.Boolean) and on.this)
    if side not in {"", "LEFT"} or not always:
        raise NotYetError("a table function is joined as CROSS JOIN LATERAL … or LEFT JOIN LATERAL … ON TRUE",
                          scope.text)  # fmt: skip
    return lateral(left, scope, join.this, users, outer=side == "LEFT")


def lateral(
    left: Node, scope: Scope, tree: exp.Expr, users: dict[str, Any], *, outer: bool = False
) -> tuple[Node, Scope]:
    """Return rows with what LATERAL TABLE(…) or UNNEST(…) makes of them."""
    binder = ExpressionBinder(scope, users)
    alias = tree.args.get("alias")
    names = [] if alias is None else [column.name for column in alias.columns]
    if isinstance(tree, exp.Unnest):
        offset = tree.args.get("offset")
        call = _unnest(tree, binder, ordinality=bool(offset))
        names += [offset.name] if isinstance(offset, exp.Identifier) and names else []
    else:
        call = table_call(_inner(tree, scope.text), binder)
    node = correlated(left, call, tuple(names), scope.text, outer=outer)
    right = Scope((Relation(tree.alias or None, 0, node.fields[len(left.fields) :]),), scope.text)
    return node, scope.joined(right)


def alone(tree: exp.Expr, users: dict[str, Any], text: str) -> tuple[Node, Scope]:
    """Return the rows of a table function that looks at no table."""
    made, scope = lateral(one_row(), Scope((), text), tree, users)
    refs: list[Expr] = made.refs()[1:]
    node = project(made, refs, [field.name for field in made.fields[1:]])
    return node, Scope.of(node, scope.relations[0].alias, text)


def _inner(tree: exp.Expr, text: str) -> exp.Expr:
    call = tree.this
    if isinstance(call, exp.Anonymous) and str(call.this).upper() == "TABLE" and len(call.expressions) == 1:
        return call.expressions[0]  # type: ignore[no-any-return]
    raise NotYetError(
        "LATERAL takes a table function, as in LATERAL TABLE(split(words)); write a query as a JOIN", text
    )


def table_call(node: exp.Expr, binder: ExpressionBinder) -> UserCall:
    """Bind a call of a table function of the user's."""
    text = binder.scope.text
    name = str(node.this)
    user = node.meta.get("user") or binder.users.get(name.upper())
    if getattr(user, "kind", None) != "table":
        known = [one.lower() for one, other in binder.users.items() if other.kind == "table"]
        raise wrong(f"there is no table function '{name}'{did_you_mean(name, known)}", node, text)
    args = [binder.bind(arg) for arg in node.expressions]
    wanted = user.input_types  # type: ignore[union-attr]
    if wanted is not None:
        if len(wanted) != len(args):
            raise wrong(f"{name} takes {len(wanted)} arguments, here are {len(args)}", node, text)
        args = [cast_to(arg, one) for arg, one in zip(args, wanted, strict=True)]
    return UserCall(user.result_type, name, user, tuple(args))  # type: ignore[union-attr]


def _unnest(node: exp.Unnest, binder: ExpressionBinder, *, ordinality: bool) -> UserCall:
    if len(node.expressions) != 1:
        raise wrong("UNNEST takes one array or map", node, binder.scope.text)
    arg: Expr = binder.bind(node.expressions[0])
    try:
        unnest = Unnest(arg.type, ordinality=ordinality)
    except SignatureError as error:
        raise wrong(str(error), node, binder.scope.text) from None
    return UserCall(unnest.result_type, unnest.name, unnest, (arg,))


def correlated(left: Node, call: UserCall, names: tuple[str, ...], text: str, *, outer: bool) -> Correlate:
    """Return rows with the rows that a call makes of them, under the given names."""
    fields = call.function.fields
    if names and len(names) != len(fields):
        raise ValidationError(f"{call.name} gives {len(fields)} columns, here are {len(names)} names", text or None)
    made = [
        Field(name, field.data_type.nullable() if outer else field.data_type)
        for name, field in zip(names or [field.name for field in fields], fields, strict=True)
    ]
    return Correlate((*left.fields, *made), left, call, outer)
