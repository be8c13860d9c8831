"""States with one value per key: value, reducing, aggregating."""

from __future__ import annotations

import pickle
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from flott.runtime.state.backend import point_batches
from flott.runtime.state.keyed_part import KeyedPart
from flott.runtime.state.live_values import LiveValues, differs
from flott.runtime.state.points import BATCH
from flott.runtime.state.prefetch import PrefetchPolicy
from flott.runtime.state.ttl import with_moments
from flott.runtime.state.ttl_sweep import Sweep, keep_or_drop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.native._entries import Drafts
    from flott.runtime.state.backend import KeyedBackend
    from flott.runtime.state.changes import Changes, EpochChanges
    from flott.runtime.state.key_scope import KeyScope
    from flott.runtime.state.schemas import ConvertEntry
    from flott.runtime.state.ttl import Expiry

NOT_THERE = object()


class Aggregate(Protocol):
    """The part of an AggregateFunction that state needs."""

    def create_accumulator(self) -> Any:
        """Return an empty accumulator."""

    def add(self, value: Any, accumulator: Any, /) -> Any:
        """Return the accumulator with a value added."""

    def get_result(self, accumulator: Any, /) -> Any:
        """Return the result of an accumulator."""

    def merge(self, acc_a: Any, acc_b: Any, /) -> Any:
        """Return two accumulators as one."""


class SingleValue(LiveValues, KeyedPart):
    """One value per key. ``_written`` holds this epoch's, ``_read`` what the store has; None is absent.

    Of very many keys, what this epoch wrote becomes ``_drafts`` from time to time: entries as they will be stored. The
    objects are in the processor's cache then still, and their memory is used again for the next.
    """

    __slots__ = (
        "_backend",
        "_column",
        "_drafts",
        "_sweep",
        "convert",
        "prefetch",
    )
    drafts_early: ClassVar[bool] = False
    """Whether values may become entries before the epoch ends: nobody changes them in ``_written`` behind its back."""

    def __init__(
        self, backend: KeyedBackend, name: str, scope: KeyScope | None = None, expiry: Expiry | None = None
    ) -> None:
        super().__init__(scope or backend.scope)
        self._backend = backend
        self._column = backend.column(name)
        self._drafts: Drafts | None = None
        self.prefetch = PrefetchPolicy(encodes_early=self.drafts_early)
        self.convert: ConvertEntry | None = None
        """How entries are read that were stored under another schema."""
        self._expiry = expiry
        self._sweep = None if expiry is None else Sweep(backend, self._column, expiry.lifetime, keep_or_drop)

    @property
    def is_looked_up(self) -> bool:
        """Values that can expire are kept in order: those that did are found by a scan."""
        return self._expiry is None

    def watch(self) -> None:
        """From now on, keep what a user's function changes in place."""
        if self._handed is None:
            self._handed = {}

    def _keep_changed(self) -> None:
        """Take what was changed in place as written."""
        if not self._handed:
            return
        written, drafts = self._written, self._drafts
        handed = {key: value for key, value in self._handed.items() if key not in written}
        self._handed = {}
        for key, address in zip(handed, self._backend.addresses(self._column, list(handed)), strict=True):
            drafted = drafts is not None and drafts.get(key, NOT_THERE) is not NOT_THERE
            if drafted or self._differs(handed[key], self._backend.get(address)):
                written[key] = handed[key]

    def _differs(self, value: Any, stored: bytes | None) -> bool:
        return differs(value, stored) if self._expiry is None else self._entry_of(value) != stored

    def _entry_of(self, pair: Any) -> bytes:
        """Return the entry of a value that can expire."""
        return with_moments(pickle.dumps(pair[0], 5), pair[1:])

    def _living(self, key: Any, pair: Any) -> Any:
        expiry: Any = self._expiry
        expiry.uses += 1
        if pair is None:
            return None
        value, kept = expiry.living(pair, expiry.now(), None)
        if kept is not pair:
            self._written[key] = kept
        return value

    def clear(self) -> None:
        """Remove the value of the current key."""
        self.replace(None)

    def is_kept(self) -> bool:
        """Return whether anything is kept for the current key; what expired is, until it is cleaned up."""
        key = self._scope.key
        return (self._written[key] if key in self._written else self._fetch(key)) is not None

    def accumulated(self) -> Any:
        """Return what was accumulated for the current key, to be merged into another's."""
        return self.current()

    def _fetch(self, key: Any) -> Any:
        read = self._read
        if key in read:
            return read[key]
        # Once per key and epoch at most, but with millions of keys that is once per record: no calls in between.
        self.prefetch.misses += 1
        if self._drafts is not None:
            value = self._drafts.get(key, NOT_THERE)
            if value is not NOT_THERE:
                read[key] = value
                return value
        backend = self._backend
        group, tail = backend.heads[key]
        address = group + self._column + tail
        column = self._column
        data = (backend.readers.get(column) or backend.reader(column))(address)
        if data is None:
            read[key] = None
            return None
        value = pickle.loads(data)
        if self.convert is not None:
            value = self.convert(address, value)
        if self._expiry is not None:
            moment = self._expiry.moment(data)
            if moment is None:
                # Written before the state had a time to live: its life begins when it is first seen.
                value = self._written[key] = (value, self._expiry.now())
                return value
            value = (value, moment)
        read[key] = value
        return value

    @property
    def in_strides(self) -> bool:
        """Whether records are best worked on a few at a time."""
        return self.prefetch.in_strides

    def look_ahead(self, keys: list[Any]) -> None:
        """Prefetch the values of the records that come next, if the policy says so."""
        if not self._backend.reads_ahead:
            return
        policy = self.prefetch
        if policy.begin_batch(len(keys)):
            # With so many keys, what was read for the batch before is hardly asked for again: memory stays in use.
            self._keep_changed()
            self._read = {}
            # What goes wrong here goes wrong again where the record is known, or at the end of the epoch.
            with suppress(Exception):
                if self.convert is None and policy.drafts(len(self._written)):
                    self._draft()
            with suppress(Exception):
                self._fetch_all(keys)
            policy.fetched(len(self._read))

    def _draft(self) -> None:
        """Lay out what was written so far. What was read of it before counts no longer, and is not here any more."""
        if self._drafts is None:
            self._drafts = self._backend.drafts(self._column, self.prefetch.changed)
        if self._drafts is not None:
            left = self._drafts.add(self._written)
            self._written = {key: self._written[key] for key in left}
            self.prefetch.drafted(len(self._drafts))

    def drafted(self) -> list[bytes]:
        """Return the addresses of entries that this epoch has laid out so far."""
        batches = [] if self._drafts is None else point_batches(self._drafts.taken(BATCH))
        return [address for batch in batches for address, _ in batch.entries()]

    def _fetch_all(self, keys: list[Any]) -> None:
        """Read what is not in memory."""
        read, written, column = self._read, self._written, self._column
        if self.convert is None:
            keys = self._backend.fetch(column, keys, read, written, self._drafts)
        wanted = [key for key in dict.fromkeys(keys) if key not in read and key not in written]
        if not wanted:
            return
        addresses = self._backend.addresses(column, wanted)
        loads, convert = pickle.loads, self.convert
        for key, address, data in zip(wanted, addresses, self._backend.get_many(column, addresses), strict=True):
            value = None if data is None else loads(data)
            read[key] = value if value is None or convert is None else convert(address, value)

    def flush(self, changes: EpochChanges) -> None:
        self._keep_changed()
        if self._expiry is not None:
            self._flush_in_order(changes.entries, self._expiry)
            return
        column, dumps = self._column, pickle.dumps
        before = len(changes.points)
        if self._drafts is None:
            left = self._backend.lay_out(column, self._written, changes.points)
        else:
            left = {key: self._written[key] for key in self._drafts.add(self._written)}
            changes.points.add_batches(column, point_batches(self._drafts.taken(BATCH)))
            self._drafts = None
        self.prefetch.end_epoch(len(changes.points) - before)
        changed = iter(left.items())
        while some := list(islice(changed, BATCH)):
            addresses = self._backend.addresses(column, [key for key, _ in some])
            values = [None if value is None else dumps(value, 5) for _, value in some]
            changes.points.add(column, addresses, values)
        if len(self._read) > len(self._written):
            self._read.update(self._written)
        else:
            for key, value in self._read.items():
                self._written.setdefault(key, value)
            self._read = self._written
        self._written = {}

    def _flush_in_order(self, into: Changes, expiry: Expiry) -> None:
        """Write values that can expire, and clean up some that did."""
        for key, pair in self._written.items():
            into[self._backend.address(self._column, key)] = None if pair is None else self._entry_of(pair)
        self._read.update(self._written)
        self._written = {}
        if self._sweep is not None and self._sweep.run(into, expiry.uses, expiry.now()):
            self.forget()
        expiry.uses = 0

    @property
    def sweep(self) -> Sweep | None:
        return self._sweep

    def convert_with(self, convert: ConvertEntry | None) -> None:
        self.convert = convert

    def forget(self) -> None:
        self._read = {}
        self._written = {}
        self._handed = None if self._handed is None else {}
        self._drafts = None
        self.prefetch.records = 0

    def live_entries(self) -> int:
        return len(self._read)


class ValueState(SingleValue):
    """One value per key."""

    __slots__ = ()
    drafts_early: ClassVar[bool] = True

    value = LiveValues.current  # not by another call: these are what most records ask for
    update = LiveValues.replace

    def values_of(self, keys: list[Any]) -> list[Any]:
        """Return the values of keys that are all different, None where there is none; reads what is missing at once."""
        if self._expiry is not None:
            found = []
            for self._scope.key in keys:
                found.append(self.current())
            self._scope.unset()
            return found
        self._fetch_all(keys)
        written, read = self._written, self._read
        if not written:
            return list(map(read.__getitem__, keys))
        return [written[key] if key in written else read[key] for key in keys]

    def update_all(self, keys: Iterable[Any], values: Iterable[Any]) -> None:
        """Set the values of several keys; None removes one."""
        if self._expiry is not None:
            values = map(self._expiry.stamped, values)
        self._written.update(zip(keys, values, strict=True))


class ReducingState(SingleValue):
    """One value per key, into which added ones are reduced."""

    __slots__ = ("_reduce",)
    drafts_early: ClassVar[bool] = True

    def __init__(
        self,
        backend: KeyedBackend,
        name: str,
        reduce: Callable[[Any, Any], Any],
        scope: KeyScope | None = None,
        expiry: Expiry | None = None,
    ) -> None:
        super().__init__(backend, name, scope, expiry)
        self._reduce = reduce

    def get(self) -> Any:
        """Return what was added so far, reduced; None when nothing was."""
        return self.current()

    def add(self, value: Any) -> None:
        """Reduce a value into the current key's; None clears it."""
        before = None if value is None else self.current()
        self.replace(value if before is None else self._reduce(before, value))


class AggregatingState(SingleValue):
    """One accumulator per key, into which values are added."""

    __slots__ = ("_aggregate",)
    drafts_early: ClassVar[bool] = True

    def __init__(
        self,
        backend: KeyedBackend,
        name: str,
        aggregate: Aggregate,
        scope: KeyScope | None = None,
        expiry: Expiry | None = None,
    ) -> None:
        super().__init__(backend, name, scope, expiry)
        self._aggregate = aggregate

    def get(self) -> Any:
        """Return the result of what was added so far; None when nothing was."""
        accumulator = self.current()
        return None if accumulator is None else self._aggregate.get_result(accumulator)

    def add(self, value: Any) -> None:
        """Add a value to the current key's accumulator; None clears it."""
        if value is None:
            self.replace(None)
            return
        accumulator, aggregate = self.current(), self._aggregate
        if accumulator is None:
            accumulator = aggregate.create_accumulator()
        self.replace(aggregate.add(value, accumulator))

    def merge_in(self, accumulator: Any) -> None:
        """Merge another accumulator into the current key's."""
        if accumulator is not None:
            own = self.current()
            self.replace(accumulator if own is None else self._aggregate.merge(own, accumulator))
