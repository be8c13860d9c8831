"""CREATE TABLE, VIEW, FUNCTION, DATABASE and CATALOG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from flott.table.errors import SqlParserError
from flott.table.sql import statements as s
from flott.table.sql.dialect import parse_tokens
from flott.table.sql.type_text import take_type
from flott.table.unresolved_column import UnresolvedColumn

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.table.sql.cursor import Cursor


def take_create(cursor: Cursor, take_query: Callable[[Cursor], s.Query]) -> s.Statement:
    """Take what comes behind CREATE."""
    temporary = cursor.accept("TEMPORARY")
    cursor.accept("SYSTEM")
    place = cursor.offset()
    kind = cursor.name().upper()
    if kind not in {"TABLE", "VIEW", "FUNCTION", "DATABASE", "CATALOG"}:
        raise SqlParserError("CREATE takes TABLE, VIEW, FUNCTION, DATABASE or CATALOG", cursor.text, place)
    there = cursor.accept("IF", "NOT", "EXISTS")
    path = cursor.path()
    if kind == "TABLE":
        return _table(cursor, path, temporary=temporary, if_not_exists=there)
    if kind == "VIEW":
        columns = cursor.names() if cursor.peek() == "(" else ()
        if cursor.accept("COMMENT"):
            cursor.string()
        cursor.expect("AS")
        return s.CreateView(cursor.text, path, take_query(cursor), columns, temporary, there)
    if kind == "FUNCTION":
        cursor.expect("AS")
        target = cursor.string()
        language = cursor.name().upper() if cursor.accept("LANGUAGE") else "JAVA"
        return s.CreateFunction(cursor.text, path, target, language, temporary, there)
    if cursor.accept("COMMENT"):
        cursor.string()
    options = cursor.options() if cursor.accept("WITH") else {}
    return s.CreateSpace(cursor.text, kind, path, options, there)


def _table(cursor: Cursor, path: tuple[str, ...], *, temporary: bool, if_not_exists: bool) -> s.CreateTable:
    parts: dict[str, Any] = {"columns": [], "watermark": None, "primary_key": ()}
    if cursor.accept("("):
        while True:
            _part(cursor, parts)
            if not cursor.accept(","):
                break
        cursor.expect(")")
    comment = cursor.string() if cursor.accept("COMMENT") else None
    partition_keys = cursor.names() if cursor.accept("PARTITIONED", "BY") else ()
    options = cursor.options() if cursor.accept("WITH") else {}
    like = cursor.path() if cursor.accept("LIKE") else None
    if cursor.peek() == "AS":
        raise SqlParserError(
            "CREATE TABLE … AS is not there; write CREATE TABLE with columns, then INSERT INTO", cursor.text,
            cursor.offset(),
        )  # fmt: skip
    return s.CreateTable(
        cursor.text, path, tuple(parts["columns"]), parts["watermark"], parts["primary_key"], options,
        partition_keys, comment, temporary, if_not_exists, like,
    )  # fmt: skip


def _part(cursor: Cursor, parts: dict[str, Any]) -> None:
    if cursor.peek() == "WATERMARK" and cursor.peek(1) == "FOR":
        place = cursor.offset()
        cursor.expect("WATERMARK").expect("FOR")
        if parts["watermark"] is not None:
            raise SqlParserError("a table has one watermark", cursor.text, place)
        column = ".".join(cursor.path())
        cursor.expect("AS")
        parts["watermark"] = (column, _expression(cursor))
        return
    if cursor.accept("CONSTRAINT"):
        cursor.name()
    if cursor.accept("PRIMARY", "KEY"):
        _primary_key(cursor, parts, cursor.names())
        return
    parts["columns"].append(_column(cursor, parts))


def _primary_key(cursor: Cursor, parts: dict[str, Any], names: tuple[str, ...]) -> None:
    if parts["primary_key"]:
        raise SqlParserError("a table has one primary key", cursor.text, cursor.offset())
    parts["primary_key"] = names
    if not cursor.accept("NOT", "ENFORCED"):
        raise SqlParserError(
            "a primary key is a promise that nobody checks; say so: PRIMARY KEY (…) NOT ENFORCED", cursor.text,
            cursor.offset(),
        )  # fmt: skip


def _column(cursor: Cursor, parts: dict[str, Any]) -> UnresolvedColumn:
    name = cursor.name()
    if cursor.accept("AS"):
        return UnresolvedColumn(name, expression=_expression(cursor), comment=_comment(cursor))
    kind = take_type(cursor)
    if cursor.accept("METADATA"):
        key = cursor.string() if cursor.accept("FROM") else name
        return UnresolvedColumn(name, kind, metadata=key, virtual=cursor.accept("VIRTUAL"), comment=_comment(cursor))
    if cursor.accept("PRIMARY", "KEY"):
        _primary_key(cursor, parts, (name,))
    return UnresolvedColumn(name, kind, comment=_comment(cursor))


def _comment(cursor: Cursor) -> str | None:
    return cursor.string() if cursor.accept("COMMENT") else None


def _expression(cursor: Cursor) -> exp.Expr:
    tokens = cursor.until(",", ")", "COMMENT")
    return parse_tokens(tokens, cursor.text, exp.Condition)
