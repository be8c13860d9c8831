"""Text to statements. Queries and expressions are sqlglot's trees; everything around them is read here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.errors import SqlParserError, did_you_mean, told
from flott.table.sql import statements as s
from flott.table.sql.cursor import Cursor
from flott.table.sql.dialect import parse_tokens
from flott.table.sql.parse_create import take_create

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlglot.tokenizer_core import Token


def parse_statement(text: str) -> s.Statement:
    """Read one statement.

    >>> type(parse_statement("SELECT 1")).__name__, parse_statement("USE CATALOG mine").path
    ('Query', ('mine',))
    """
    with told(text):
        found = parse_statements(text)
    if len(found) != 1:
        raise SqlParserError(f"one statement is wanted, found {len(found)}; execute them one by one", text, 0)
    return found[0]


def parse_statements(text: str) -> list[s.Statement]:
    """Read several statements with semicolons between them."""
    whole = Cursor(text)
    found: list[s.Statement] = []
    while not whole.at_end():
        if whole.accept(";"):
            continue
        start = whole.position
        piece = _until_end_of_set(whole) if _starts_set(whole) else whole.until(";")
        if whole.position > start:
            found.append(take_statement(Cursor(text, piece)))
    return found


def _starts_set(cursor: Cursor) -> bool:
    words = [cursor.peek(ahead) for ahead in range(4)]
    return words[:3] == ["EXECUTE", "STATEMENT", "SET"] or words[:3] == ["BEGIN", "STATEMENT", "SET"]


def _until_end_of_set(cursor: Cursor) -> list[Token]:
    start = cursor.position
    depth = 0
    while not cursor.at_end():
        word = cursor.peek()
        depth += (word in {"BEGIN", "CASE"}) - (word == "END")
        cursor.position += 1
        if word == "END" and depth == 0:
            return cursor.tokens[start : cursor.position]
    raise SqlParserError("a statement set ends with END", cursor.text, len(cursor.text))


def take_statement(cursor: Cursor) -> s.Statement:
    """Take the one statement that the tokens hold."""
    word = cursor.peek()
    if word in QUERIES:
        return take_query(cursor)
    take = STATEMENTS.get(word)
    if take is None:
        known = [*STATEMENTS, *(query for query in QUERIES if query != "(")]
        raise SqlParserError(
            f"no statement starts with '{word}'{did_you_mean(word, known)}", cursor.text, cursor.offset()
        )
    cursor.position += 1
    statement = take(cursor)
    cursor.end()
    return statement


QUERIES = ("SELECT", "WITH", "VALUES", "(")


def take_query(cursor: Cursor) -> s.Query:
    """Take a query: all that is left."""
    place = cursor.offset()
    tree = parse_tokens(cursor.rest(), cursor.text)
    if not isinstance(tree, (exp.Query, exp.Values)):
        raise SqlParserError("a query is wanted here", cursor.text, place)
    return s.Query(cursor.text, tree, place)


def _insert(cursor: Cursor) -> s.Insert:
    overwrite = cursor.accept("OVERWRITE")
    if not overwrite:
        cursor.expect("INTO")
    place = cursor.offset()
    path = cursor.path()
    columns = cursor.names() if cursor.peek() == "(" and cursor.peek(1) not in QUERIES else ()
    return s.Insert(cursor.text, path, take_query(cursor), columns, overwrite, place)


def _drop(cursor: Cursor) -> s.Drop:
    temporary = cursor.accept("TEMPORARY")
    cursor.accept("SYSTEM")
    place = cursor.offset()
    kind = cursor.name().upper()
    if kind not in {"TABLE", "VIEW", "FUNCTION", "DATABASE", "CATALOG"}:
        raise SqlParserError("DROP takes TABLE, VIEW, FUNCTION, DATABASE or CATALOG", cursor.text, place)
    if_exists = cursor.accept("IF", "EXISTS")
    path = cursor.path()
    _ = cursor.accept("RESTRICT") or cursor.accept("CASCADE")
    return s.Drop(cursor.text, kind, path, temporary, if_exists)


SHOWN = (
    "TABLES", "VIEWS", "FUNCTIONS", "USER FUNCTIONS", "DATABASES", "CATALOGS", "CURRENT CATALOG", "CURRENT DATABASE",
)  # fmt: skip


def _show(cursor: Cursor) -> s.Show:
    place = cursor.offset()
    if cursor.accept("CREATE"):
        cursor.accept("TABLE") or cursor.expect("VIEW")
        return s.Show(cursor.text, "CREATE", cursor.path())
    what = " ".join(token.text.upper() for token in cursor.rest())
    if what not in SHOWN:
        raise SqlParserError(f"SHOW {what}: unknown{did_you_mean(what, SHOWN)}", cursor.text, place)
    return s.Show(cursor.text, what)


def _describe(cursor: Cursor) -> s.Describe:
    cursor.accept("TABLE")
    return s.Describe(cursor.text, cursor.path())


def _use(cursor: Cursor) -> s.Use:
    return s.Use(cursor.text, "CATALOG" if cursor.accept("CATALOG") else "DATABASE", cursor.path())


def _set(cursor: Cursor) -> s.SetOption:
    if cursor.at_end():
        return s.SetOption(cursor.text, None, None)
    key = cursor.string()
    cursor.expect("=")
    return s.SetOption(cursor.text, key, cursor.string())


def _reset(cursor: Cursor) -> s.SetOption:
    return s.SetOption(cursor.text, None if cursor.at_end() else cursor.string(), None, reset=True)


def _explain(cursor: Cursor) -> s.Explain:
    cursor.accept("PLAN", "FOR")
    return s.Explain(cursor.text, take_statement(cursor))


def _execute(cursor: Cursor) -> s.Statement:
    if cursor.accept("STATEMENT", "SET"):
        cursor.expect("BEGIN")
        inserts = []
        while not cursor.accept("END"):
            cursor.expect("INSERT")
            inserts.append(_insert(Cursor(cursor.text, cursor.until(";"))))
            cursor.expect(";")
        return s.InsertSet(cursor.text, tuple(inserts))
    return take_statement(cursor)


def _begin(cursor: Cursor) -> s.Statement:
    cursor.expect("STATEMENT").expect("SET").expect(";")
    inserts = []
    while not cursor.accept("END"):
        cursor.expect("INSERT")
        inserts.append(_insert(Cursor(cursor.text, cursor.until(";"))))
        cursor.expect(";")
    return s.InsertSet(cursor.text, tuple(inserts))


def _create(cursor: Cursor) -> s.Statement:
    return take_create(cursor, take_query)


STATEMENTS: dict[str, Callable[[Cursor], s.Statement]] = {
    "CREATE": _create, "DROP": _drop, "SHOW": _show, "DESCRIBE": _describe, "DESC": _describe, "USE": _use,
    "SET": _set, "RESET": _reset, "INSERT": _insert, "EXPLAIN": _explain, "EXECUTE": _execute, "BEGIN": _begin,
}  # fmt: skip
