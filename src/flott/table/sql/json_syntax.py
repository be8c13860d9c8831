"""The functions of JSON, whose arguments have clauses behind them: JSON_VALUE(data, '$.id' DEFAULT 0 ON EMPTY).

Each becomes a call by name whose further arguments are those clauses, as words; functions/json_values.py and
json_text.py say what they mean.
"""

# ruff: noqa: SLF001 - arguments of a dialect are read with the parser's own methods

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

if TYPE_CHECKING:
    from collections.abc import Callable

WRAPPERS = (
    (("WITHOUT", "ARRAY", "WRAPPER"), "WITHOUT_ARRAY"), (("WITHOUT", "WRAPPER"), "WITHOUT_ARRAY"),
    (("WITH", "CONDITIONAL", "ARRAY", "WRAPPER"), "CONDITIONAL_ARRAY"),
    (("WITH", "CONDITIONAL", "WRAPPER"), "CONDITIONAL_ARRAY"),
    (("WITH", "UNCONDITIONAL", "ARRAY", "WRAPPER"), "UNCONDITIONAL_ARRAY"),
    (("WITH", "UNCONDITIONAL", "WRAPPER"), "UNCONDITIONAL_ARRAY"),
    (("WITH", "ARRAY", "WRAPPER"), "UNCONDITIONAL_ARRAY"), (("WITH", "WRAPPER"), "UNCONDITIONAL_ARRAY"),
)  # fmt: skip
WORDS = {
    "JSON_EXISTS": ("TRUE", "FALSE", "UNKNOWN", "ERROR"), "JSON_VALUE": ("NULL", "ERROR"),
    "JSON_QUERY": ("NULL", "EMPTY_ARRAY", "EMPTY_OBJECT", "ERROR"),
}  # fmt: skip


def word(text: str) -> exp.Expr:
    """Return a word as an argument."""
    return exp.Literal.string(text)


def _document_and_path(parser: Any) -> list[exp.Expr]:
    document = parser._parse_bitwise()
    if not parser._match(TokenType.COMMA):
        parser.raise_error("Expecting the path behind the document")
    return [document, parser._parse_bitwise()]


def _behaviour(parser: Any, name: str, event: str) -> tuple[exp.Expr, exp.Expr]:
    """Take ``NULL ON EMPTY`` and the like; return the word, and a default value."""
    for text in WORDS[name]:
        if parser._match_text_seq(*text.split("_"), "ON", event):
            return word(text), exp.Null()
    index = parser._index
    if name == "JSON_VALUE" and parser._match_text_seq("DEFAULT"):
        default = parser._parse_bitwise()
        if parser._match_text_seq("ON", event):
            return word("DEFAULT"), default
        parser._retreat(index)
    return word(WORDS[name][1 if name == "JSON_EXISTS" else 0]), exp.Null()


def _exists(parser: Any) -> exp.Expr:
    args = _document_and_path(parser)
    return exp.Anonymous(this="JSON_EXISTS", expressions=[*args, _behaviour(parser, "JSON_EXISTS", "ERROR")[0]])


def _value(parser: Any) -> exp.Expr:
    args = _document_and_path(parser)
    returned = "STRING"
    if parser._match_text_seq("RETURNING"):
        start = parser._curr
        parser._parse_types()
        returned = parser._find_sql(start, parser._prev)
    empty, error = (_behaviour(parser, "JSON_VALUE", event) for event in ("EMPTY", "ERROR"))
    return exp.Anonymous(this="JSON_VALUE", expressions=[*args, word(returned), *empty, *error])


def _query(parser: Any) -> exp.Expr:
    args = _document_and_path(parser)
    wrapper = next((name for words, name in WRAPPERS if parser._match_text_seq(*words)), WRAPPERS[0][1])
    empty, error = (_behaviour(parser, "JSON_QUERY", event)[0] for event in ("EMPTY", "ERROR"))
    return exp.Anonymous(this="JSON_QUERY", expressions=[*args, word(wrapper), empty, error])


def _on_null(parser: Any, default: str) -> exp.Expr:
    for text in ("NULL", "ABSENT"):
        if parser._match_text_seq(text, "ON", "NULL"):
            return word(text)
    return word(default)


def _pair(parser: Any) -> list[exp.Expr]:
    """Take ``[KEY] name VALUE value``, or ``name : value``."""
    parser._match_text_seq("KEY")
    key = parser._parse_bitwise()
    if not parser._match_text_seq("VALUE") and not parser._match(TokenType.COLON):
        parser.raise_error("Expecting VALUE")
    return [key, parser._parse_bitwise()]


def _listed(parser: Any, name: str, default: str, take: Callable[[Any], list[exp.Expr]]) -> exp.Expr:
    parts: list[exp.Expr] = []
    while parser._curr and parser._curr.token_type is not TokenType.R_PAREN:
        before = parser._index
        on_null = _on_null(parser, "")
        if parser._index != before:
            return exp.Anonymous(this=name, expressions=[on_null, *parts])
        parts += take(parser)
        parser._match(TokenType.COMMA)
    return exp.Anonymous(this=name, expressions=[word(default), *parts])


JSON_SYNTAX: dict[str, Callable[[Any], exp.Expr]] = {
    "JSON_EXISTS": _exists,
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_OBJECT": lambda parser: _listed(parser, "JSON_OBJECT", "NULL", _pair),
    "JSON_ARRAY": lambda parser: _listed(parser, "JSON_ARRAY", "ABSENT", lambda one: [one._parse_bitwise()]),
    "JSON_OBJECTAGG": lambda parser: _listed(parser, "JSON_OBJECTAGG", "NULL", _pair),
    "JSON_ARRAYAGG": lambda parser: _listed(parser, "JSON_ARRAYAGG", "ABSENT", lambda one: [one._parse_bitwise()]),
}
"""How the arguments of each function are read, from behind the opening bracket to before the closing one."""
