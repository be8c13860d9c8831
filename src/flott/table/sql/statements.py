"""What a statement says, once its text is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from flott.table.unresolved_column import UnresolvedColumn

    Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement and its text."""

    text: str


@dataclass(frozen=True, slots=True)
class Query(Statement):
    """A SELECT, or VALUES, or several of them put together."""

    tree: exp.Expr
    place: int = 0
    """Where in the text it begins."""


@dataclass(frozen=True, slots=True)
class CreateTable(Statement):
    """CREATE TABLE."""

    path: Path
    columns: tuple[UnresolvedColumn, ...]
    watermark: tuple[str, exp.Expr] | None = None
    primary_key: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    partition_keys: tuple[str, ...] = ()
    comment: str | None = None
    temporary: bool = False
    if_not_exists: bool = False
    like: Path | None = None


@dataclass(frozen=True, slots=True)
class CreateView(Statement):
    """CREATE VIEW."""

    path: Path
    query: Query
    columns: tuple[str, ...] = ()
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateFunction(Statement):
    """CREATE FUNCTION … AS 'module.name' LANGUAGE PYTHON."""

    path: Path
    target: str
    language: str
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateSpace(Statement):
    """CREATE DATABASE or CREATE CATALOG."""

    kind: str
    path: Path
    options: dict[str, str] = field(default_factory=dict)
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class Drop(Statement):
    """DROP TABLE, VIEW, FUNCTION, DATABASE or CATALOG."""

    kind: str
    path: Path
    temporary: bool = False
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Show(Statement):
    """SHOW TABLES and the like; SHOW CREATE TABLE with a path."""

    what: str
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Describe(Statement):
    """DESCRIBE a table."""

    path: Path


@dataclass(frozen=True, slots=True)
class Use(Statement):
    """USE a database or catalog."""

    kind: str
    path: Path


@dataclass(frozen=True, slots=True)
class SetOption(Statement):
    """SET an option, or show all; RESET without a value."""

    key: str | None
    value: str | None
    reset: bool = False


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    """INSERT INTO a table what a query gives."""

    path: Path
    query: Query
    columns: tuple[str, ...] = ()
    overwrite: bool = False
    place: int | None = None
    """Where in the text the table is named."""


@dataclass(frozen=True, slots=True)
class InsertSet(Statement):
    """Several INSERTs as one job."""

    inserts: tuple[Insert, ...]


@dataclass(frozen=True, slots=True)
class Explain(Statement):
    """EXPLAIN a query or an INSERT."""

    statement: Statement
