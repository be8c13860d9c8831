"""Planning what each epoch reads of a set of text files."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flott.connectors.decoded_stream import decoded, open_file, skip
from flott.connectors.file_range import FileRange
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.connectors.find_files import FoundFile

BYTES_PER_SUBTASK = 8 << 20
"""What one subtask reads in one epoch at scale 1."""
OPENING_COST = 256 << 10
"""Opening a file takes time as well: it counts as at least so many bytes."""
EXPANSION = 4
"""What a byte of a compressed text file roughly becomes."""
SMALLEST_RANGE = 4 << 20
LARGEST_RANGE = 64 << 20

TO_THE_END = None
"""As the end of a read: all that is left, however much that is once it is decoded."""


@dataclass(frozen=True, slots=True)
class TextFileState:
    """Positions: what each subtask is in the middle of, and what nobody has begun."""

    begun: dict[int, tuple[FileRange, int]]
    waiting: tuple[tuple[FileRange, int], ...]
    searched: bool
    seen: frozenset[str]


class Gauge:
    """Finds out how long a stream is that must be decoded to know: reads it along, never far ahead."""

    def __init__(self, path: str, charset: str) -> None:
        self._file = open_file(path)
        self._stream, _ = decoded(path, self._file, charset)
        self._position = 0

    def reaches(self, position: int) -> bool:
        """Say whether the stream goes on at this position."""
        self._position += skip(self._stream, position + 1 - self._position)
        return self._position > position

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class TextFileEnumerator:
    """Deals out ranges of files, in order, to the subtask that has least to read.

    Files are cut into ranges small enough that all subtasks have work, and that they stay close together in a file:
    where time goes on along the file, watermarks of the subtasks are then close too.
    """

    def __init__(
        self,
        find: Callable[[], list[FoundFile]],
        is_splittable: Callable[[str], bool],
        charset: str,
        parallelism: int,
        *,
        share_files: bool = True,
        discovery_interval: int | None = None,
    ) -> None:
        self._find = find
        self._is_splittable = is_splittable
        self._charset = charset
        self._parallelism = parallelism
        self._share_files = share_files
        self._discovery_interval = discovery_interval
        self._look_again: int | None = None
        self._searched = False
        self._seen: set[str] = set()
        self._waiting: deque[tuple[FileRange, int]] = deque()
        self._begun: dict[int, tuple[FileRange, int]] = {}
        self._gauges: dict[str, Gauge] = {}
        self._paused: frozenset[str] = frozenset()

    def pause_splits(self, splits: frozenset[str]) -> None:
        """Read nothing of these ranges until they may go on; a subtask in the middle of one waits with it."""
        self._paused = splits

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan about the same number of bytes for each subtask."""
        self._discover(now)
        amount = max(1, int(BYTES_PER_SUBTASK * scale))
        reads: list[list[SplitRead]] = [[] for _ in range(self._parallelism)]
        turns = [(0, subtask) for subtask in range(self._parallelism)]  # a heap: the least loaded comes first
        while turns:
            load, subtask = heapq.heappop(turns)
            if subtask in self._begun and self._begun[subtask][0].id in self._paused:
                piece, start = self._begun[subtask]
                reads[subtask].append(SplitRead(piece.id, start, start, paused=True))
                continue
            if subtask in self._begun or self._waiting:
                read, cost = self._advance(subtask, amount - load)
                reads[subtask].append(read)
                if load + cost < amount:
                    heapq.heappush(turns, (load + cost, subtask))
        backlog = bool(self._begun or self._waiting)
        return SourcePlan(
            reads=tuple(map(tuple, reads)),
            empty=all(read.paused for own in reads for read in own),
            backlog=backlog,
            ended=not backlog and self._discovery_interval is None,
            look_again=None if backlog else self._look_again,
        )

    def _advance(self, subtask: int, amount: int) -> tuple[SplitRead, int]:
        """Let a subtask read on, in its range or in the next one; return the read and what it costs."""
        piece, start = self._begun.pop(subtask) if subtask in self._begun else self._waiting.popleft()
        end: int | None
        if self._is_splittable(piece.path):
            end = min(start + amount, piece.stop)
            ended, cost = end == piece.stop, end - start
        else:
            end = self._end_in_stream(piece, start, amount)
            ended, cost = end is TO_THE_END, piece.size * EXPANSION if end is None else end - start
        if end is not None and not ended:
            self._begun[subtask] = (piece, end)
        return SplitRead(piece.id, start, end, ended=ended), max(cost, OPENING_COST)

    def _end_in_stream(self, piece: FileRange, start: int, amount: int) -> int | None:
        """Choose where to stop in a file that must be decoded from its beginning.

        A small file is read at once. In a large one each epoch starts over and skips what was read; as an epoch
        takes at least half of what lies before it, all that skipping stays below three times the stream.
        """
        if start == 0 and piece.size * EXPANSION <= amount:
            return TO_THE_END
        end = start + max(amount, start // 2)
        gauge = self._gauges.get(piece.path)
        if gauge is None:
            gauge = self._gauges[piece.path] = Gauge(piece.path, self._charset)
        if gauge.reaches(end):
            return end
        self._gauges.pop(piece.path).close()
        return TO_THE_END

    def _discover(self, now: int) -> None:
        """Find the files: once, or again and again when new ones are waited for."""
        if self._discovery_interval is None:
            if self._searched:
                return
        elif self._look_again is not None and now < self._look_again:
            return
        else:
            self._look_again = now + self._discovery_interval
        self._searched = True
        files = [file for file in self._find() if file.path not in self._seen]
        total = sum(file.size for file in files)
        length = min(max(total // self._parallelism, SMALLEST_RANGE), LARGEST_RANGE)
        for file in files:
            self._seen.add(file.path)
            self._waiting.extend((piece, piece.start) for piece in self._cut(file, length))

    def _cut(self, file: FoundFile, length: int) -> Iterator[FileRange]:
        if not (self._share_files and self._is_splittable(file.path)):
            length = file.size
        for start in range(0, file.size, length or 1):
            yield FileRange(file.path, start, min(start + length, file.size), file.size)

    def snapshot(self) -> TextFileState:
        """Return the ranges that were begun, and how far, and those that wait."""
        seen = frozenset[str]() if self._discovery_interval is None else frozenset(self._seen)
        return TextFileState(dict(self._begun), tuple(self._waiting), self._searched, seen)

    def restore(self, state: TextFileState) -> None:
        """Go on from there; with fewer subtasks than before, some begun ranges go to whoever is free first."""
        self.close()
        self._begun = {subtask: begun for subtask, begun in state.begun.items() if subtask < self._parallelism}
        orphans = (begun for subtask, begun in state.begun.items() if subtask >= self._parallelism)
        self._waiting = deque((*orphans, *state.waiting))
        self._searched = state.searched
        self._seen = set(state.seen)
        self._look_again = None

    def close(self) -> None:
        """Close the files that are read along."""
        while self._gauges:
            self._gauges.popitem()[1].close()
