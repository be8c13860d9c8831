"""A column as it was declared, before expressions and types are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from flott.table.types import DataType

__all__ = ["UnresolvedColumn"]


@dataclass(frozen=True, slots=True)
class UnresolvedColumn:
    """A column: physical with a type, computed from an expression, or metadata of the connector."""

    name: str
    type: DataType | None = None
    expression: exp.Expr | None = None
    metadata: str | None = None
    virtual: bool = False
    comment: str | None = None
