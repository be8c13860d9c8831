"""MATCH_RECOGNIZE ( … ) behind a table: sqlglot's own reading of it knows neither WITHIN nor SUBSET."""

# ruff: noqa: SLF001 - a clause of a dialect is read with the parser's own methods

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

ROWS = ("ONE", "ALL")
SKIPS = (("PAST", "LAST", "ROW"), ("TO", "NEXT", "ROW"))


def take_match_recognize(parser: Any) -> exp.MatchRecognize:
    """Take the clause, at whose first word the parser stands."""
    parser._match(TokenType.MATCH_RECOGNIZE)
    parser._match_l_paren()
    made = exp.MatchRecognize(
        partition_by=parser._parse_partition_by(),
        order=parser._parse_order(),
        measures=_measures(parser),
        rows=_rows(parser),
        after=_after(parser),
        pattern=_pattern(parser),
    )
    made.set("within", parser._parse_interval() if parser._match_text_seq("WITHIN") else None)
    made.set("subset", parser._match_text_seq("SUBSET"))
    while made.args["subset"] and parser._curr and parser._curr.text.upper() != "DEFINE":
        parser._advance()
    if not parser._match_text_seq("DEFINE"):
        parser.raise_error("Expecting DEFINE")
    made.set("define", parser._parse_csv(lambda: _define(parser)))
    parser._match_r_paren()
    made.set("alias", parser._parse_table_alias())
    return made


def _measures(parser: Any) -> list[exp.Expr] | None:
    if not parser._match_text_seq("MEASURES"):
        return None
    found: list[exp.Expr] = parser._parse_csv(parser._parse_match_recognize_measure)
    return found


def _rows(parser: Any) -> exp.Var | None:
    for first in ROWS:
        word = "ROW" if first == "ONE" else "ROWS"
        if parser._match_text_seq(first, word, "PER", "MATCH"):
            return exp.var(f"{first} {word} PER MATCH")
    return None


def _after(parser: Any) -> exp.Var | None:
    if not parser._match_text_seq("AFTER", "MATCH", "SKIP"):
        return None
    for words in SKIPS:
        if parser._match_text_seq(*words):
            return exp.var(" ".join(words))
    if not parser._match_text_seq("TO"):
        parser.raise_error("Expecting PAST LAST ROW, TO NEXT ROW, TO FIRST or TO LAST with a variable")
    edge = "FIRST" if parser._match_text_seq("FIRST") else "LAST"
    if edge == "LAST":
        parser._match_text_seq("LAST")
    variable = parser._parse_id_var()
    return exp.var(f"TO {edge} {variable.name if variable is not None else ''}")


def _pattern(parser: Any) -> exp.Var:
    """Take PATTERN ( … ) as text: nothing in it is an expression."""
    if not parser._match_text_seq("PATTERN"):
        parser.raise_error("Expecting PATTERN")
    parser._match_l_paren()
    start = parser._curr
    depth = 1
    while parser._curr and depth:
        kind = parser._curr.token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        parser._advance()
    if depth or parser._prev is start:
        parser.raise_error("Expecting the variables of a pattern, and )")
    found = exp.var(parser.sql[start.start : parser._prev.start].strip())
    found.update_positions(start)
    return found


def _define(parser: Any) -> exp.Expr:
    name = parser._parse_id_var(any_token=True)
    if not parser._match(TokenType.ALIAS):
        parser.raise_error("Expecting AS and a condition")
    return exp.alias_(parser._parse_disjunction(), name, copy=False)
