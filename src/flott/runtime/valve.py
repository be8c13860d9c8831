"""The valve: which watermark, and which idleness, goes on when a task has several input channels."""

from __future__ import annotations

from typing import TypeAlias

from flott.runtime.batch import MIN_TIMESTAMP

ValveState: TypeAlias = tuple[list[int], list[bool], list[bool], int, bool]


class Valve:
    """Lets the minimum over the aligned channels through, and only upwards.

    A channel that went idle does not count. One that comes back counts again as soon as it has
    caught up with what was let through: a slow one neither turns time back nor holds it up.

    >>> valve = Valve(2)
    >>> valve.input_watermark(0, 10), valve.input_watermark(1, 4), valve.input_watermark(1, 12)
    (None, 4, 10)
    >>> valve.input_status(1, active=False), valve.input_status(0, active=False)
    ((None, None), (12, False))
    """

    __slots__ = ("_active", "_aligned", "_last", "_last_active", "_watermarks")

    def __init__(self, channels: int) -> None:
        self._watermarks = [MIN_TIMESTAMP] * channels
        self._active = [True] * channels
        self._aligned = [True] * channels
        self._last = MIN_TIMESTAMP
        self._last_active = True

    @property
    def watermark(self) -> int:
        """The watermark that was let through last."""
        return self._last

    @property
    def active(self) -> bool:
        """Whether the valve as a whole is active: it is idle while all its channels are."""
        return self._last_active

    def channel_watermark(self, channel: int) -> int:
        """Return the highest watermark that was taken from a channel."""
        return self._watermarks[channel]

    def input_watermark(self, channel: int, timestamp: int) -> int | None:
        """Take a watermark of a channel; return the watermark to emit, if there is one."""
        if not (self._last_active and self._active[channel]):
            return None
        if timestamp <= self._watermarks[channel]:
            return None
        self._watermarks[channel] = timestamp
        if timestamp >= self._last:
            self._aligned[channel] = True
        return self._advance_to_minimum()

    def input_status(self, channel: int, active: bool) -> tuple[int | None, bool | None]:
        """Take a status of a channel; return the watermark and then the status to emit, if any."""
        if active == self._active[channel]:
            return None, None
        self._active[channel] = active
        if active:
            return None, self._resume(channel)
        self._aligned[channel] = False
        held_back = self._watermarks[channel] == self._last
        if any(self._active):
            return (self._advance_to_minimum() if held_back else None), None
        # Nobody can hold time back any more, so what the furthest channel said holds for all.
        flushed = self._advance_to(max(self._watermarks)) if held_back else None
        self._last_active = False
        return flushed, False

    def _resume(self, channel: int) -> bool | None:
        self._aligned[channel] = self._watermarks[channel] >= self._last
        if self._last_active:
            return None
        self._last_active = True
        return True

    def _advance_to_minimum(self) -> int | None:
        aligned = [mark for mark, counts in zip(self._watermarks, self._aligned, strict=True) if counts]
        return self._advance_to(min(aligned)) if aligned else None

    def _advance_to(self, timestamp: int) -> int | None:
        if timestamp <= self._last:
            return None
        self._last = timestamp
        return timestamp

    def snapshot(self) -> ValveState:
        """Return what the valve knows, for the next epoch."""
        return (
            list(self._watermarks),
            list(self._active),
            list(self._aligned),
            self._last,
            self._last_active,
        )

    def restore(self, state: ValveState | None) -> None:
        """Go on where ``snapshot`` left off; start anew when there is nothing, or for other channels."""
        channels = len(self._watermarks)
        if state is None or len(state[0]) != channels:
            Valve.__init__(self, channels)
            return
        watermarks, active, aligned, self._last, self._last_active = state
        self._watermarks, self._active, self._aligned = list(watermarks), list(active), list(aligned)
