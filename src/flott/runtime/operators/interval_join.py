"""Joins each record of a keyed stream with those of another whose time is near: between two bounds of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.emission import are_light
from flott.runtime.operators.combined_inputs import CombinedInputs
from flott.runtime.operators.results import Results, not_results
from flott.runtime.operators.selected_keys import selected_keys
from flott.runtime.operators.user_function import UserFunctionOperator
from flott.runtime.state.changed_in_place import may_change
from flott.runtime.state.kinds import TIME_BUFFER
from flott.runtime.state.time_buffer import TimeBuffer
from flott.runtime.timers import TimerService

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.batch import Batch
    from flott.runtime.output_tag import OutputTag
    from flott.runtime.state.key_scope import KeyScope

LEFT, RIGHT = b"L", b"R"


@dataclass(frozen=True, slots=True)
class Interval:
    """Which records meet: ``left + lower <= right <= left + upper``, and what becomes of those that meet none."""

    lower: int
    upper: int
    keep_left: bool = False
    """Whether a left record that met no right one comes out with None, once its interval is over."""
    keep_right: bool = False
    late_left: OutputTag | None = None
    """Where left records go that come too late; None: they are dropped."""
    late_right: OutputTag | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """What the two sides of the join have in reverse."""

    mark: bytes
    select: Callable[[Any], Any]
    own: TimeBuffer
    other: TimeBuffer
    low: int
    """Partners are from here, relative to the record's own time, …"""
    high: int
    """… to here."""
    wait: int
    """For how long after its own time a record may still meet others."""
    keep: bool
    keep_partners: bool
    late: OutputTag | None


class JoinContext:
    """What a call to ``process_element`` knows besides the two records."""

    __slots__ = ("_results", "left", "right", "stamp")

    def __init__(self, results: Results) -> None:
        self._results = results
        self.left: int | None = None
        self.right: int | None = None
        self.stamp = 0

    def get_left_timestamp(self) -> int | None:
        """Return the timestamp of the left record; None if there is no left record."""
        return self.left

    def get_right_timestamp(self) -> int | None:
        """Return the timestamp of the right record; None if there is no right record."""
        return self.right

    def get_timestamp(self) -> int:
        """Return the timestamp that the results get: the later one of the two."""
        return self.stamp

    def output(self, tag: Any, value: Any) -> None:
        """Send a value to a side output, with the timestamp of the results."""
        self._results.add_side(tag, value, self.stamp)


class SideOwner:
    """Timers of the join belong to a key and a side."""

    def key_of(self, owner: tuple[Any, bytes]) -> Any:
        """Return the owner's key."""
        return owner[0]

    def namespace_bytes(self, owner: tuple[Any, bytes]) -> bytes:
        """Write the side."""
        return owner[1]

    def owner(self, key: Any, namespace: bytes) -> tuple[Any, bytes]:
        """Put an owner together again."""
        return key, namespace


class JoinBuffers(UserFunctionOperator):
    """Both sides, buffered by time.

    A buffered record is a pair of the record and whether it met another; it goes when event time has passed the last
    moment at which one could come that it would meet.
    """

    scope: KeyScope
    results: Results
    timers: TimerService
    ctx: JoinContext
    left: Side
    right: Side

    def __init__(
        self,
        function: Any,
        key_selector1: Callable[[Any], Any],
        key_selector2: Callable[[Any], Any],
        interval: Interval,
    ) -> None:
        super().__init__(function)
        self.key_selectors = key_selector1, key_selector2
        self.interval = interval

    def open(self) -> None:
        backend = self.context.keyed("the buffer of an interval join")
        self.scope = backend.scope
        self.results = Results(self.context.emission)
        self.ctx = JoinContext(self.results)
        clock = self.context.clock
        self.timers = TimerService(backend, "CLEANUP_TIMER", clock, self._clean_up, self._never, SideOwner())
        left, right = (
            backend.part(name, TIME_BUFFER, partial(TimeBuffer, backend, name, _can_change))
            for name in ("LEFT_BUFFER", "RIGHT_BUFFER")
        )
        to, (select1, select2) = self.interval, self.key_selectors
        keep1, keep2 = to.keep_left, to.keep_right
        self.left = Side(LEFT, select1, left, right, to.lower, to.upper, max(to.upper, 0), keep1, keep2, to.late_left)
        self.right = Side(
            RIGHT, select2, right, left, -to.upper, -to.lower, max(-to.lower, 0), keep2, keep1, to.late_right
        )
        super().open()

    def restore(self, carried: Any) -> None:
        self.timers.restore(carried)

    def snapshot(self) -> Any:
        return self.timers.snapshot()

    def join(self, batch: Batch, side: Side) -> None:
        """Buffer the records of one side, and let each meet those of the other that are there."""
        stamps: list[Any] | None = batch.stamps
        if stamps is None or None in stamps:
            raise self._no_timestamp(batch.values[0 if stamps is None else stamps.index(None)])
        scope, add, register = self.scope, side.own.add, self.timers.events.add
        watermark, mark, wait = self.timers.current_watermark(), side.mark, side.wait
        keys = selected_keys(self, side.select, batch.values)
        side.own.may_change = side.own.may_change or not are_light(batch.values)
        record = None
        try:
            for record, key, stamp in zip(batch.values, keys, stamps, strict=True):
                if stamp < watermark:
                    if side.late is not None:
                        self.results.add_side(side.late, record, stamp)
                    continue
                scope.key = key
                entry = [record, False]
                add(stamp, entry)
                self._meet(entry, stamp, side)
                register((key, mark), stamp + wait)
        except USER_CODE_RAISES as error:
            raise not_results(error, self.who(), record) or self.failure(error, record) from None
        scope.unset()
        self.results.emit(self.output)

    def _meet(self, entry: list[Any], stamp: int, side: Side) -> None:
        """Call the function for each record of the other side that this one meets."""
        is_left, other, keep_partners = side.mark == LEFT, side.other, side.keep_partners
        record, call = entry[0], self._call
        for time, bucket in other.between(stamp + side.low, stamp + side.high):
            later = max(stamp, time)
            for partner in bucket:
                if is_left:
                    call(record, partner[0], stamp, time, later)
                else:
                    call(partner[0], record, time, stamp, later)
                entry[1] = True
                if keep_partners and not partner[1]:
                    partner[1] = True
                    other.touch(time)
            if other.may_change:
                # What a function changes in place is kept, whichever worker has the key next.
                other.touch(time)

    def _call(self, left: Any, right: Any, left_time: int | None, right_time: int | None, stamp: int) -> None:
        ctx, values, stamps = self.ctx, self.results.values, self.results.stamps
        ctx.left, ctx.right, ctx.stamp = left_time, right_time, stamp
        produced = self.function.process_element(left, right, ctx)
        if produced is not None:
            self.results.extend(values, produced)
            if stamps is not None:
                stamps.extend(repeat(stamp, len(values) - len(stamps)))

    def on_watermark(self, timestamp: int) -> int | None:
        self.timers.advance_watermark(timestamp)
        self.results.emit(self.output)
        return timestamp

    def _clean_up(self, time: int, owner: Any) -> None:
        side = self.left if owner[1] == LEFT else self.right
        stamp = time - side.wait
        gone = side.own.remove(stamp)
        if not side.keep:
            return
        for record, met in gone:
            if met:
                continue
            try:
                # With the time of the timer, because the record's own is behind the watermark by now.
                if side.mark == LEFT:
                    self._call(record, None, stamp, None, time)
                else:
                    self._call(None, record, None, stamp, time)
            except USER_CODE_RAISES as error:
                raise not_results(error, self.who(), record) or self.failure(error, record) from None

    def _never(self, time: int, owner: Any) -> None:
        """No processing-time timer is ever registered."""

    def _no_timestamp(self, record: Any) -> FlottError:
        message = (
            f"{self.context.title}: record {record!r:.200} has no timestamp, so nobody knows which records it meets. "
            f"Call assign_timestamps_and_watermarks(...) on both streams before the interval join."
        )
        return FlottError(message)


class IntervalJoin(CombinedInputs, JoinBuffers):
    """Calls ``process_element(left, right, ctx)`` for each pair that meets."""

    def process_input(self, index: int, batch: Batch) -> None:
        self.join(batch, self.right if index else self.left)


def _can_change(entry: list[Any]) -> bool:
    return may_change(entry[0])
