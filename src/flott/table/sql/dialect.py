"""Flink's SQL for sqlglot: backticks around names, every function by its name, table functions over tables."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, ClassVar

from sqlglot import exp, parser, tokens
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from flott.table.errors import SqlParserError, did_you_mean
from flott.table.sql.json_syntax import JSON_SYNTAX
from flott.table.sql.match_recognize import take_match_recognize

KEPT_SYNTAX = {"CAST", "TRY_CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM", "CEIL", "FLOOR"}
"""Functions whose arguments are not just a list."""


CLAUSES = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "JOIN", "INNER", "MATCH_RECOGNIZE")
"""Words that begin a clause."""

PARTITIONED = "PARTITIONED"
"""What stands for PARTITION BY behind a table that is the argument of a function."""


LITERAL = "literal"
"""What marks TIME '12:00:00', which differs from a CAST."""


def _typed_literal(_parser: Any, literal: exp.Expr, kind: exp.Expr) -> exp.Expr:
    made = exp.Cast(this=literal, to=kind)
    made.meta[LITERAL] = True
    return made


class FlinkSql(Dialect):
    """What sqlglot has to know of Flink's SQL."""

    NORMALIZATION_STRATEGY = NormalizationStrategy.CASE_SENSITIVE
    NULL_ORDERING = "nulls_are_small"

    class Tokenizer(tokens.Tokenizer):
        """Names in backticks, texts in single quotes."""

        IDENTIFIERS: ClassVar[list[Any]] = ["`"]
        QUOTES: ClassVar[list[Any]] = ["'"]
        STRING_ESCAPES: ClassVar[list[str]] = ["'"]
        COMMENTS: ClassVar[list[Any]] = ["--", ("/*", "*/")]
        COMMANDS: ClassVar[set[Any]] = set()
        KEYWORDS: ClassVar[dict[str, Any]] = {
            **{word: kind for word, kind in tokens.Tokenizer.KEYWORDS.items() if word != "SESSION"},
            "MATCH_RECOGNIZE": TokenType.MATCH_RECOGNIZE,
        }

    class Parser(parser.Parser):
        """Functions stay what they are called: the registry says what they mean, nobody else."""

        FUNCTIONS: ClassVar[dict[str, Any]] = {
            name: build for name, build in parser.Parser.FUNCTIONS.items() if name in {"CEIL", "FLOOR"}
        }
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            **{name: parse for name, parse in parser.Parser.FUNCTION_PARSERS.items() if name in KEPT_SYNTAX},
            **JSON_SYNTAX,
        }
        LOG_DEFAULTS_TO_LN = False
        TYPE_LITERAL_PARSERS: ClassVar[dict[Any, Any]] = {exp.DataType.Type.TIME: _typed_literal}

        def _parse_table(self, *args: Any, **options: Any) -> exp.Expr | None:
            table: exp.Expr | None = super()._parse_table(*args, **options)
            if table is not None and self._curr and self._curr.token_type is TokenType.MATCH_RECOGNIZE:
                table.set("match", take_match_recognize(self))
            return table


_DIALECT = FlinkSql()


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text, those left out that only mark tables as arguments of functions.

    >>> [token.text for token in tokenize("FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(at)))")]
    ['FROM', 'TUMBLE', '(', 'bid', ',', 'DESCRIPTOR', '(', 'at', ')', ')']
    """
    try:
        found = _DIALECT.tokenize(text)
    except TokenError as error:
        if text.count("'") % 2:
            raise SqlParserError("the text that begins here has no second quote", text, text.rindex("'")) from None
        raise SqlParserError(f"this is no SQL: {str(error).splitlines()[0]}", text, 0) from None
    return _without_table_marks(found)


def _without_table_marks(found: list[Token]) -> list[Token]:
    kept: list[Token] = []
    dropped: set[int] = set()
    """Positions of the closing brackets of ``TABLE( … )``, and of what is written in another way."""
    marked = -1
    """Where the PARTITION BY of a table that is an argument would stand."""
    for position, token in enumerate(found):
        if position in dropped:
            continue
        following = found[position + 1] if position + 1 < len(found) else None
        before = kept[-1] if kept else None
        if token.token_type is TokenType.TABLE and following is not None and before is not None:
            if following.token_type is TokenType.L_PAREN and before.token_type in _BEFORE_TABLE:
                dropped.update((position + 1, closing(found, position + 1)))
                continue
            if before.text in {"(", "=>"} and following.token_type is not TokenType.L_PAREN:
                marked = _end_of_name(found, position + 1)
                continue
        if token.token_type is TokenType.PARTITION_BY and position == marked:
            made, skipped = _partition(found, position)
            kept.extend(made)
            dropped.update(skipped)
            continue
        kept.append(token)
    return kept


def _end_of_name(found: list[Token], start: int) -> int:
    """Return where the name of a table is over."""
    place = start + 1
    while place + 1 < len(found) and found[place].token_type is TokenType.DOT:
        place += 2
    return place


def _partition(found: list[Token], position: int) -> tuple[list[Token], range]:
    """Return ``PARTITION BY a`` behind a table as one more argument, ``, PARTITIONED(a)``, and what it replaces."""
    first = position + 1
    at = found[position]
    bracket = first < len(found) and found[first].token_type is TokenType.L_PAREN
    last = closing(found, first) if bracket else first

    def token(kind: TokenType, text: str) -> Token:
        return Token(kind, text, at.line, at.col, at.start, at.end)

    inner = found[first + 1 : last] if bracket else found[first : last + 1]
    opened = [token(TokenType.COMMA, ","), token(TokenType.VAR, PARTITIONED), token(TokenType.L_PAREN, "(")]
    return [*opened, *inner, token(TokenType.R_PAREN, ")")], range(position + 1, last + 1)


_BEFORE_TABLE = {TokenType.FROM, TokenType.JOIN, TokenType.COMMA}


def closing(found: list[Token], opening: int) -> int:
    """Return the position of the bracket that closes the one at ``opening``."""
    depth = 0
    for position in range(opening, len(found)):
        if found[position].token_type is TokenType.L_PAREN:
            depth += 1
        elif found[position].token_type is TokenType.R_PAREN:
            depth -= 1
            if depth == 0:
                return position
    return len(found)


def parse_tokens(found: list[Token], text: str, kind: type[exp.Expr] | None = None) -> exp.Expr:
    """Parse tokens of a text as one query, or as what ``kind`` says."""
    engine = _DIALECT.parser()
    if not found:
        raise SqlParserError("something is missing at the end", text, len(text))
    try:
        parsed = engine.parse(found, text) if kind is None else engine.parse_into(kind, found, text)
    except ParseError as error:
        raise _readable(error, text, found) from None
    if len(parsed) != 1 or parsed[0] is None:
        raise SqlParserError("one statement is wanted here", text, found[0].start)
    return parsed[0]


def _readable(error: ParseError, text: str, found: list[Token]) -> SqlParserError:
    nested = error.__cause__.errors if isinstance(error.__cause__, ParseError) else []
    first = (error.errors or nested or [{}])[0]
    offset = found[0].start
    if first.get("line"):
        lines = text.split("\n")
        end = sum(len(line) + 1 for line in lines[: first["line"] - 1]) + first["col"]
        offset = max(0, end - len(first.get("highlight") or ""))
    slip = _misspelt([token for token in found if token.start <= offset])
    if slip is not None:
        return SqlParserError(f"'{slip.text}' is not known here{did_you_mean(slip.text, CLAUSES)}", text, slip.start)
    shown = first.get("highlight")
    problem = str(first.get("description") or error).splitlines()[0].partition(" but got <")[0].rstrip(".")
    if problem.startswith("Required keyword"):
        return SqlParserError(f"something is missing behind '{shown}'", text, offset)
    return SqlParserError(f"{problem}{f', at {shown!r}' if shown else ''}", text, offset)


def _misspelt(before: list[Token]) -> Token | None:
    """Return the last word that is probably meant to begin a clause, such as FORM."""
    words = [token for token in before[-3:] if token.token_type is TokenType.VAR]
    return next(
        (one for one in reversed(words) if get_close_matches(one.text.upper(), CLAUSES, n=1, cutoff=0.75)), None
    )


def parse_expression(text: str) -> exp.Expr:
    """Parse one scalar expression.

    >>> parse_expression("price * 2").sql()
    'price * 2'
    """
    return parse_tokens(tokenize(text), text, exp.Condition)
