"""ChangelogMode: which kinds of rows a stream of changes has."""

from __future__ import annotations

from flott.common.types import RowKind
from flott.table.errors import TableError

__all__ = ["ChangelogMode"]


class ChangelogMode:
    """The kinds of rows of a stream; see ``insert_only``, ``upsert`` and ``all``.

    >>> ChangelogMode.upsert()
    ChangelogMode([+I, +U, -D])
    """

    def __init__(self, kinds: frozenset[RowKind]) -> None:
        self.kinds = kinds

    @staticmethod
    def insert_only() -> ChangelogMode:
        """Rows are only added."""
        return ChangelogMode(frozenset({RowKind.INSERT}))

    @staticmethod
    def upsert() -> ChangelogMode:
        """The last row of each key is its row, and a deletion takes it away: nothing says what was there before."""
        return ChangelogMode(frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE}))

    @staticmethod
    def all() -> ChangelogMode:
        """Rows are added, taken back, and replaced."""
        return ChangelogMode(frozenset(RowKind))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChangelogMode) and self.kinds == other.kinds

    def __hash__(self) -> int:
        return hash(self.kinds)

    def __repr__(self) -> str:
        return f"ChangelogMode([{', '.join(str(kind) for kind in RowKind if kind in self.kinds)}])"


def checked_mode(given: object, where: str) -> ChangelogMode:
    """Return a mode that a program gives; None stands for all kinds of rows."""
    if given is None:
        return ChangelogMode.all()
    if not isinstance(given, ChangelogMode):
        raise TableError(
            f"{where}: the mode {given!r:.80} is not a ChangelogMode; give ChangelogMode.insert_only(), .upsert() or "
            f".all()"
        )
    return given
