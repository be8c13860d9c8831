"""What the states of an operator look like: what they were declared as, and what is stored of them from before."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo.schema import schema_text
from flott.errors import StateAccessError
from flott.runtime.state.address_layout import group_in
from flott.runtime.state.evolution import IncompatibleSchemasError, converter, map_value_converter
from flott.runtime.state.kinds import INTERNAL, KINDS, MAP_STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.state.evolution import Convert
    from flott.runtime.state.kinds import StateKind

    ConvertEntry = Callable[[bytes, Any], Any]
    """Address and content of an entry → the content as the state now has it."""

CANONICAL = "canonical keys"
"""Under this name, beside those of states, the key groups whose keys are canonical."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a state looks like in some key groups: ``first`` up to, not including, ``end``."""

    first: int
    end: int
    kind: str
    schema: str
    """JSON; empty: not known."""


StoredStates = dict[str, tuple[Stored, ...]]
"""By the name of the state. Several entries: not all subtasks had asked for it when another type was declared."""


class StateSchemas:
    """Compares the states that an operator declares with what is stored of them."""

    def __init__(self, title: str, groups: range) -> None:
        self._title = title
        self._groups = groups
        self._declared: dict[str, tuple[StateKind, str]] = {}
        self.stored: StoredStates = {}

    def declare(self, name: str, kind: StateKind, schema: str) -> None:
        """Note what a state is declared as; a name stands for one state of one type."""
        known_kind, known = self._declared.get(name, (kind, schema))
        if known_kind != kind or (known and schema and known != schema):
            declared = (known_kind.name, known), (kind.name, schema)
            was, now = (f"{one} of type {of}" if of else one for one, of in declared)
            message = (
                f"{self._title}: state '{name}' was declared as {was} and now as {now}. "
                f"A name stands for one state: choose another name for the second."
            )
            raise StateAccessError(message)
        self._declared[name] = kind, known or schema

    def declared(self, name: str) -> tuple[str, str]:
        """Return the kind and the schema of a state, as they are saved."""
        kind, schema = self._declared.get(name, (INTERNAL, ""))
        return kind.name, schema

    def conversion(self, name: str) -> ConvertEntry | None:
        """Return how entries are read that were stored under another schema; None if there are none."""
        stored = self.stored.get(name, ())
        changes = [(one.end, self._change(name, one)) for one in stored]
        if all(change is None for _, change in changes):
            return None

        def convert(address: bytes, content: Any) -> Any:
            group = group_in(address)
            change = next((change for end, change in changes if group < end), None)
            return content if change is None else change(content)

        return convert

    def _change(self, name: str, stored: Stored) -> Convert | None:
        kind, schema = self._declared.get(name, (INTERNAL, ""))
        if not kind.restores(stored.kind):
            message = (
                f"{self._title}: state '{name}' was saved as {stored.kind}, and is now {kind.name}. Keep the kind of a "
                f"state, or give the new one another name."
            )
            raise StateAccessError(message)
        return change_of_schema(self._title, kind.name, name, stored.schema, schema)

    def current(self) -> StoredStates:
        """Return what is stored once the epoch's changes are: declared states as declared, the others as before."""
        first, end = self._groups.start, self._groups.stop
        now = {name: (Stored(first, end, *self.declared(name)),) for name in self._declared}
        return {**self.stored, **now, CANONICAL: (Stored(first, end, CANONICAL, ""),)}

    def has_canonical_keys(self) -> bool:
        """Return whether all that is stored was saved since keys have a canonical form, or is nothing."""
        covered = sum(one.end - one.first for one in self.stored.get(CANONICAL, ()))
        return not self.stored or covered >= len(self._groups)

    def left_over(self, columns: Iterable[str]) -> list[tuple[str, str]]:
        """Return the names and kinds of stored states that belong to another kind of operator than this one."""
        known = set(columns)
        return [
            (name, stored[0].kind)
            for name, stored in self.stored.items()
            if name not in known and name != CANONICAL and not KINDS.get(stored[0].kind, INTERNAL).of_users
        ]


def change_of_schema(title: str, kind: str, name: str, before: str, after: str) -> Convert | None:
    """Return what makes an entry that was saved with one schema into one of another; None if nothing is to be done."""
    if not before or not after or before == after:
        return None
    old, new = json.loads(before), json.loads(after)
    try:
        if kind == MAP_STATE.name:
            # Such a state is stored entry by entry.
            change = map_value_converter(old["map"], new["map"], "")
            return None if change is None else lambda entry: (entry[0], change(entry[1]))
        return converter(old, new)
    except IncompatibleSchemasError as error:
        message = (
            f"{title}: {kind} '{name}' was saved with the schema {before}, and is now declared with {after}: "
            f"{error}. Fields of a row may be added, removed or widened; for any other change, declare a state under "
            f"another name and fill it from the old one."
        )
        raise StateAccessError(message) from None


def schema_of_descriptor(descriptor: Any) -> str:
    """Return the schema of the type that a state's descriptor names; empty if it names none."""
    get_type = getattr(descriptor, "get_type", None)
    return "" if get_type is None else schema_text(get_type())


def schema_of_columns(schema: Any) -> str:
    """Return an Arrow schema of plain columns as JSON.

    >>> import pyarrow as pa
    >>> schema_of_columns(pa.schema([("key", pa.string()), ("sum:amount", pa.int64())]))
    '{"columns": {"key": "string", "sum:amount": "int64"}}'
    """
    return json.dumps({"columns": {field.name: str(field.type) for field in schema}})


def merged(parts: Iterable[tuple[int, int, StoredStates]]) -> StoredStates:
    """Put together what former subtasks had stored, each for the key groups that are taken over from it.

    >>> merged([(0, 4, {"a": (Stored(0, 9, "value state", ""),)}), (4, 6, {"a": (Stored(0, 9, "value state", ""),)})])
    {'a': (Stored(first=0, end=6, kind='value state', schema=''),)}
    """
    found: dict[str, list[Stored]] = {}
    for first, end, states in parts:
        for name, stored in states.items():
            ranges = found.setdefault(name, [])
            for one in stored:
                low, high = max(first, one.first), min(end, one.end)
                if low >= high:
                    continue
                last = ranges[-1] if ranges else None
                if last is not None and last.end == low and (last.kind, last.schema) == (one.kind, one.schema):
                    ranges[-1] = Stored(last.first, high, one.kind, one.schema)
                else:
                    ranges.append(Stored(low, high, one.kind, one.schema))
    return {name: tuple(ranges) for name, ranges in found.items() if ranges}
