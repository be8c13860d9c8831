"""The input side of a subtask: channels merged so that event time advances evenly, watermarks through the valve."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, Any

from flott.errors import ExchangeError
from flott.runtime.batch import Batch
from flott.runtime.blocks import ChannelReader
from flott.runtime.input import Input
from flott.runtime.valve import Valve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.blocks import Barrier, BlockRow, Segment
    from flott.runtime.operator import Operator
    from flott.runtime.plan import EpochPlan, VertexSpec


class InputGate:
    """All input channels of one subtask in one epoch."""

    def __init__(self, plan: EpochPlan, vertex: VertexSpec, subtask: int) -> None:
        self._readers: dict[int, ChannelReader] = {}
        self._inputs: dict[int, int] = {}
        self._slots: dict[int, int] = {}
        """Per channel: its number within its input's valve."""
        sizes: dict[int, int] = {}
        for edge in plan.inputs_of(vertex):
            source = plan.vertices[edge.source]
            for upstream in range(source.parallelism):
                if subtask in edge.partitioner.targets(upstream, source.parallelism, vertex.parallelism):
                    channel = edge.first_channel + upstream
                    title = f"'{vertex.name}' subtask {subtask}, channel from '{source.name}' subtask {upstream}"
                    self._readers[channel] = ChannelReader(title)
                    self._inputs[channel] = edge.input_index
                    self._slots[channel] = sizes.get(edge.input_index, 0)
                    sizes[edge.input_index] = self._slots[channel] + 1
        self.valves = {index: Valve(size) for index, size in sorted(sizes.items())}
        self.records = 0

    def add(self, row: BlockRow) -> None:
        """Take a block that Spark delivered."""
        reader = self._readers.get(row.channel)
        if reader is None:
            message = f"a block of channel {row.channel} arrived at a subtask that has no such channel"
            raise ExchangeError(message)
        reader.add(row.sequence, row.data)

    def complete(self, epoch: int) -> dict[int, Barrier]:
        """Check that every channel is whole; return their barriers."""
        return {channel: reader.complete(epoch) for channel, reader in self._readers.items()}

    def restore(self, carried: Any) -> None:
        """Set the valves to where they stood at the end of the epoch before."""
        for index, valve in self.valves.items():
            if carried is not None and index in carried:
                valve.restore(carried[index])

    def snapshot(self) -> Any:
        """Return where the valves stand."""
        return {index: valve.snapshot() for index, valve in self.valves.items()}

    def deliver(self, head: Operator) -> Iterator[None]:
        """Push all segments into the head operator; gives way to the caller after each.

        Always on goes the channel whose watermark is furthest behind, so that a window fires while its data is at
        hand and nothing that arrived in time is taken for late.
        """
        entries = {index: Entry(head, index, valve) for index, valve in self.valves.items()}
        heap: list[tuple[int, int, Iterator[Segment], Segment]] = []
        for channel, reader in self._readers.items():
            segments = reader.segments()
            first = next(segments, None)
            if first is not None:
                behind = entries[self._inputs[channel]].valve.channel_watermark(self._slots[channel])
                heap.append((behind, channel, segments, first))
        heapify(heap)
        while heap:
            watermark, channel, segments, segment = heap[0]
            entry = entries[self._inputs[channel]]
            values = segment.values
            if values:
                self.records += len(values)
                entry.process(Batch(values, segment.stamps) if type(values) is list else values)  # type: ignore[arg-type]
            if segment.watermark is not None:
                watermark = max(watermark, segment.watermark)
                entry.watermark(self._slots[channel], segment.watermark)
            if segment.active is not None:
                entry.status(self._slots[channel], segment.active)
            following = next(segments, None)
            if following is None:
                heappop(heap)
            else:
                heapreplace(heap, (watermark, channel, segments, following))
            yield


class Entry:
    """One input of the head operator, behind its valve."""

    __slots__ = ("_input", "process", "valve")

    process: Callable[[Batch], None]

    def __init__(self, head: Operator, index: int, valve: Valve) -> None:
        self.valve = valve
        self._input = Input(head, index)
        self.process = self._input.process

    def watermark(self, slot: int, timestamp: int) -> None:
        """A channel's watermark moved."""
        self._pass_on(self.valve.input_watermark(slot, timestamp), None)

    def status(self, slot: int, active: bool) -> None:
        """A channel became idle or active."""
        self._pass_on(*self.valve.input_status(slot, active))

    def _pass_on(self, watermark: int | None, active: bool | None) -> None:
        if watermark is not None:
            self._input.watermark(watermark)
        if active is not None:
            self._input.status(active)
