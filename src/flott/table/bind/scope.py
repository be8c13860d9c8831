"""Which columns a name may mean at a place in a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from flott.table.errors import ValidationError, did_you_mean
from flott.table.expr import Expr, InputRef, shifted
from flott.table.types import RowType

if TYPE_CHECKING:
    from flott.table.plan.nodes import Field, Node


POSITION = "\0"
"""A name that starts so is the position of a column."""


def offset_of(node: exp.Expr) -> int | None:
    """Return where in the text a node starts, as far as it is known."""
    places = [part.meta["start"] for part in node.walk() if "start" in part.meta]
    return min(places, default=None)


def wrong(problem: str, node: exp.Expr, text: str) -> ValidationError:
    """Return an error that points at a node."""
    place = offset_of(node)
    parent = node.parent
    while place is None and parent is not None:
        place, parent = offset_of(parent), parent.parent
    return ValidationError(problem, text or None, place)


@dataclass(frozen=True, slots=True)
class Relation:
    """A table of the FROM clause: its name there, and where its columns start."""

    alias: str | None
    start: int
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class SharedColumn:
    """What was a column of both sides before JOIN … USING, and is one now."""

    name: str
    expr: Expr
    places: frozenset[int]
    """The columns that it stands for: by its plain name none of them is meant any more."""

    def moved(self, width: int) -> SharedColumn:
        """Return the same behind so many other columns."""
        return SharedColumn(self.name, shifted(self.expr, width), frozenset(place + width for place in self.places))


@dataclass(frozen=True, slots=True)
class Scope:
    """The tables of a FROM clause."""

    relations: tuple[Relation, ...]
    text: str
    shared: tuple[SharedColumn, ...] = ()

    @staticmethod
    def of(node: Node, alias: str | None, text: str) -> Scope:
        """Return the scope of one table."""
        return Scope((Relation(alias, 0, node.fields),), text)

    def joined(self, other: Scope) -> Scope:
        """Return the scope of two tables side by side."""
        width = sum(len(relation.fields) for relation in self.relations)
        moved = tuple(Relation(one.alias, one.start + width, one.fields) for one in other.relations)
        taken = {relation.alias for relation in self.relations} - {None}
        for one in moved:
            if one.alias in taken:
                raise ValidationError(f"two tables are called '{one.alias}' in FROM; give one another name with AS")
        shared = self.shared + tuple(one.moved(width) for one in other.shared)
        return Scope(self.relations + moved, self.text, shared)

    @property
    def fields(self) -> list[Field]:
        """All columns."""
        return [field for relation in self.relations for field in relation.fields]

    @property
    def merged(self) -> frozenset[int]:
        """The columns that a plain name does not mean, because another stands for them."""
        return frozenset(place for one in self.shared for place in one.places)

    def columns_of(self, node: exp.Expr, table: str | None) -> list[tuple[exp.Column, str]]:
        """Return the columns that a star stands for, each with its name: first those that tables share."""
        merged = self.merged if table is None else frozenset()
        found = [
            (self.column(relation.start + position), field.name)
            for relation in self.relations
            if table is None or relation.alias == table
            for position, field in enumerate(relation.fields)
            if relation.start + position not in merged
        ]
        if table is None:
            found = [(self.column(-1 - number), one.name) for number, one in enumerate(self.shared)] + found
        if not found and table is not None:
            names = [relation.alias for relation in self.relations if relation.alias]
            raise wrong(f"there is no table '{table}' in FROM{did_you_mean(table, names)}", node, self.text)
        return found

    def column(self, index: int) -> exp.Column:
        """Return the name of a column that nothing else can be meant by; shared ones count from -1 down."""
        return exp.column(exp.to_identifier(f"{POSITION}{index}"))

    def resolve(self, node: exp.Column) -> tuple[Expr, list[str]]:
        """Return the column that a name means, and the names of fields inside of it that are still to be taken."""
        parts = [part.name for part in node.parts]
        first, *rest = parts
        if first.startswith(POSITION):
            index = int(first.removeprefix(POSITION))
            return self.shared[-1 - index].expr if index < 0 else InputRef(self.fields[index].type, index), rest
        if rest:
            for relation in self.relations:
                if relation.alias == first:
                    matches = _matches(relation, rest[0])
                    if not matches:
                        names = [field.name for field in relation.fields]
                        hint = did_you_mean(rest[0], names)
                        raise wrong(f"table '{first}' has no column '{rest[0]}'{hint}", node.this, self.text)
                    return matches[0], rest[1:]
        found = [one.expr for one in self.shared if one.name == first]
        found += [
            match
            for relation in self.relations
            for match in _matches(relation, first)
            if match.index not in self.merged
        ]
        if len(found) > 1:
            owners = [one.alias for one in self.relations if _matches(one, first) and one.alias]
            raise wrong(
                f"column '{first}' is in several tables; say which, as in {owners[0] if owners else 't'}.{first}",
                node, self.text,
            )  # fmt: skip
        if found and (not rest or isinstance(found[0].type, RowType)):
            return found[0], rest
        self._complain(node, first, rest)
        raise AssertionError

    def _complain(self, node: exp.Column, first: str, rest: list[str]) -> None:
        aliases = [relation.alias for relation in self.relations if relation.alias]
        names = [field.name for field in self.fields]
        if rest and first not in names:
            raise wrong(f"there is no table '{first}' in FROM{did_you_mean(first, aliases)}", node, self.text)
        if rest:
            raise wrong(f"column '{first}' is no row, so it has no field '{rest[0]}'", node, self.text)
        raise wrong(f"column '{first}' not found{did_you_mean(first, names)}", node, self.text)


def _matches(relation: Relation, name: str) -> list[InputRef]:
    return [
        InputRef(field.type, relation.start + position)
        for position, field in enumerate(relation.fields)
        if field.name == name
    ]
