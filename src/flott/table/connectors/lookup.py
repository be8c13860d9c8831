"""Tables whose rows can be looked up by key while a job runs, and what is remembered of them."""

from __future__ import annotations

from collections import OrderedDict
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from flott.common.time import Duration
from flott.table.errors import TableError, did_you_mean
from flott.table.runtime.changes import rows_of, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from flott.runtime.source import Source
    from flott.table.connectors.options import Options
    from flott.table.runtime.changes import Row

Key: TypeAlias = "tuple[Any, ...]"
Found: TypeAlias = "dict[Key, list[Row]]"

CACHES = ("NONE", "PARTIAL", "FULL")


class LookupTable(Protocol):
    """What a connector has to offer for lookups. It is pickled before it is opened."""

    def open(self) -> None:
        """Connect."""

    def close(self) -> None:
        """Disconnect."""

    def lookup(self, keys: Sequence[Key], now: int) -> Found:
        """Return the rows of each key, as stateful operators see rows; keys without rows may be missing."""


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """How much is remembered, and for how long."""

    kind: str = "NONE"
    most_rows: int | None = None
    after_write: int | None = None
    """Milliseconds after which what was found is looked up again."""
    after_access: int | None = None
    missing: bool = True
    """Whether it is remembered that a key has no rows."""
    reload: int | None = None
    """Of FULL: milliseconds after which the whole table is read again."""

    @staticmethod
    def of(options: Options, *, default: str = "NONE") -> CacheOptions:
        """Read the options of a table, which have Flink's names."""
        kind = (options.text("lookup.cache", default) or default).upper()
        if kind not in CACHES:
            raise TableError(f"table '{options.table}': 'lookup.cache' = '{kind}'{did_you_mean(kind, CACHES)}")
        return CacheOptions(
            kind,
            options.whole("lookup.partial-cache.max-rows"),
            _time(options, "lookup.partial-cache.expire-after-write"),
            _time(options, "lookup.partial-cache.expire-after-access"),
            options.truth("lookup.partial-cache.cache-missing-key", default=True),
            _time(options, "lookup.full-cache.periodic-reload.interval"),
        )


def _time(options: Options, key: str) -> int | None:
    text = options.text(key)
    if text is None:
        return None
    try:
        return Duration.parse(text).to_millis()
    except ValueError as error:
        raise TableError(f"table '{options.table}': '{key}' = '{text}' is no time: {error}") from None


def batches_of(source: Source) -> Iterator[Sequence[Any]]:
    """Read a bounded source to its end, here; give out the columns of each batch."""
    fresh = deepcopy(source)  # It may remember which files there were.
    enumerator = fresh.create_enumerator(1)
    try:
        ended = False
        while not ended:
            plan = enumerator.plan(1.0, 0)
            ended = plan.ended
            for read in (one for some in plan.reads for one in some):
                for batch in fresh.read(read):
                    yield unpack(batch)[0]
    finally:
        enumerator.close()


class CachedLookup:
    """Remembers what was found for each key, the keys used last the longest."""

    def __init__(self, table: LookupTable, options: CacheOptions) -> None:
        self.table = table
        self.options = options

    def open(self) -> None:
        self._held: OrderedDict[Key, tuple[int, int, list[Row]]] = OrderedDict()
        self._rows = 0
        self.table.open()

    def close(self) -> None:
        self.table.close()

    def lookup(self, keys: Sequence[Key], now: int) -> Found:
        found: Found = {}
        asked = []
        for key in keys:
            held = self._held.get(key)
            if held is None or self._over(held, now):
                asked.append(key)
                continue
            self._held[key] = (held[0], now, held[2])
            self._held.move_to_end(key)
            found[key] = held[2]
        if asked:
            new = self.table.lookup(asked, now)
            for key in asked:
                rows = new.get(key, [])
                found[key] = rows
                self._forget(key)
                if rows or self.options.missing:
                    self._held[key] = (now, now, rows)
                    self._rows += max(1, len(rows))
            while self.options.most_rows is not None and self._rows > self.options.most_rows and self._held:
                self._forget(next(iter(self._held)))
        return found

    def _over(self, held: tuple[int, int, list[Row]], now: int) -> bool:
        options = self.options
        written, used, _ = held
        return (options.after_write is not None and written + options.after_write <= now) or (
            options.after_access is not None and used + options.after_access <= now
        )

    def _forget(self, key: Key) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            self._rows -= max(1, len(held[2]))


class WholeTable:
    """Reads a table whole, and again after a time; rows are found by key in memory."""

    def __init__(self, read: Callable[[], Iterable[Sequence[Any]]], keys: tuple[int, ...], reload: int | None) -> None:
        self.read = read
        """Gives out the table in batches of columns."""
        self.keys = keys
        self.reload = reload

    def open(self) -> None:
        self._rows: Found | None = None
        self._read_at = 0

    def close(self) -> None:
        self._rows = None

    def lookup(self, keys: Sequence[Key], now: int) -> Found:
        if self._rows is None or (self.reload is not None and self._read_at + self.reload <= now):
            self._rows, self._read_at = self._all(), now
        rows = self._rows
        return {key: rows[key] for key in keys if key in rows}

    def _all(self) -> Found:
        found: Found = {}
        for columns in self.read():
            for row in rows_of(columns, len(columns[0])):
                found.setdefault(tuple(row[place] for place in self.keys), []).append(row)
        return found
