"""Hints in queries: how long the state of a table lives, and other options for a table."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.common.time import Duration
from flott.table.errors import ValidationError, did_you_mean
from flott.table.sql.cursor import Cursor

if TYPE_CHECKING:
    from flott.table.bind.scope import Scope
    from flott.table.catalog import CatalogTable

STATE_TTL = "STATE_TTL"
OPTIONS = re.compile(r"\s*OPTIONS\s*(\(.*\))\s*", re.IGNORECASE | re.DOTALL)


def state_lifetimes(tree: exp.Expr, text: str) -> dict[str, int]:
    """Return what ``/*+ STATE_TTL('a' = '1 d') */`` says: milliseconds by the names of tables."""
    found: dict[str, int] = {}
    hint = tree.args.get("hint")
    for call in [] if hint is None else hint.expressions:
        name = str(call.this).upper() if isinstance(call, exp.Anonymous) else call.sql()
        if name != STATE_TTL:
            raise _wrong(f"the hint {name} is not known{did_you_mean(name, [STATE_TTL])}", text)
        for pair in call.expressions:
            if not isinstance(pair, exp.EQ):
                raise _wrong("write STATE_TTL('orders' = '1 d')", text)
            try:
                found[pair.this.name] = Duration.parse(pair.expression.name).to_millis()
            except ValueError as error:
                raise _wrong(f"STATE_TTL('{pair.this.name}' = …): {error}", text) from None
    return found


def check_names(lifetimes: dict[str, int], scope: Scope) -> None:
    """Refuse hints for tables that are not in FROM."""
    names = [one.alias for one in scope.relations if one.alias is not None]
    for name in lifetimes:
        if name not in names:
            raise _wrong(f"STATE_TTL: there is no table '{name}' in FROM{did_you_mean(name, names)}", scope.text)


def lifetime_of(scope: Scope, lifetimes: dict[str, int]) -> int | None:
    """Return how long the state of one table lives; None for several, and where nothing is said."""
    alone = scope.relations[0].alias if len(scope.relations) == 1 else None
    return None if alone is None else lifetimes.get(alone)


def with_options(table: CatalogTable, tree: exp.Expr | None, text: str) -> CatalogTable:
    """Return a table with the options that ``/*+ OPTIONS('key' = 'value') */`` behind its name gives."""
    # The parser hands hints behind tables on as comments, and does not say which were hints.
    if tree is None or "/*+" not in text:
        return table
    for comment in tree.comments or ():
        found = OPTIONS.fullmatch(comment)
        if found is not None:
            return replace(table, options={**table.options, **Cursor(found[1]).options()})
    return table


def _wrong(problem: str, text: str) -> ValidationError:
    """Return an error that points at the hint: the parser does not know where in the text its words are."""
    return ValidationError(problem, text, max(0, text.find("/*+")))
