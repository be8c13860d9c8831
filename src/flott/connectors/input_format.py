"""An InputFormat as a source: its splits are dealt out to the subtasks, each is read whole in one epoch."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

from flott.connectors.base import BATCH_SIZE, Source
from flott.runtime.batch import Batch
from flott.runtime.emission import emission
from flott.runtime.source import SourcePlan, SplitRead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.io import InputFormat
    from flott.common.typeinfo import TypeInformation


class InputFormatSource(Source):
    """What an InputFormat reads. Splits travel to the tasks, so they can be pickled, and read again give the same."""

    fresh_batches: ClassVar[bool] = True

    def __init__(self, input_format: InputFormat[Any]) -> None:
        self.input_format = input_format

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> InputSplitEnumerator:
        return InputSplitEnumerator(self.input_format, parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        # A copy for each read: what one read leaves in the object, another does not see.
        given, (split,) = copy(self.input_format), read.start
        given.open(split)
        try:
            values: list[Any] = []
            emitted = emission(object_reuse=False).one
            while not given.reached_end():
                values.append(emitted(given.next_record()))
                if len(values) == BATCH_SIZE:
                    yield Batch(values)
                    values = []
            if values:
                yield Batch(values)
        finally:
            given.close()

    def get_produced_type(self) -> TypeInformation | None:
        tell = getattr(self.input_format, "get_produced_type", None)
        return None if tell is None else tell()


class InputSplitEnumerator:
    """Deals out splits in turn: each epoch, every subtask gets one or ``at_once``, more when epochs may be longer."""

    def __init__(self, input_format: InputFormat[Any], parallelism: int, at_once: int = 1) -> None:
        self._parallelism = parallelism
        self._at_once = at_once
        self._splits = list(input_format.create_input_splits(parallelism))
        self._next = 0

    def plan(self, scale: float, now: int) -> SourcePlan:
        reads: list[list[SplitRead]] = [[] for _ in range(self._parallelism)]
        start = self._next
        self._next = min(len(self._splits), start + self._parallelism * max(1, int(self._at_once * scale)))
        for number in range(start, self._next):
            # In a tuple, so that a split may be anything, None too.
            read = SplitRead(f"split {number}", (self._splits[number],), (), ended=True)
            reads[number % self._parallelism].append(read)
        ended = self._next == len(self._splits)
        return SourcePlan(tuple(map(tuple, reads)), empty=start == self._next, backlog=not ended, ended=ended)

    def snapshot(self) -> Any:
        # With the splits: cut again, the input might fall into other ones.
        return self._splits, self._next

    def restore(self, state: Any) -> None:
        self._splits, self._next = state

    def close(self) -> None:
        """Nothing is held."""
