"""Writes down what an operator puts out: records, side outputs, watermarks and statuses, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from flott.runtime.batch import Batch


class Record(NamedTuple):
    """A record that came out."""

    value: Any
    timestamp: int | None


class Watermark(NamedTuple):
    """A watermark that came out."""

    timestamp: int


class Status(NamedTuple):
    """The stream became idle, or active again."""

    active: bool


class Recorder:
    """The far side of an output, as a list."""

    def __init__(self) -> None:
        self.events: list[Record | Watermark | Status] = []

    def add(self, batch: Batch) -> None:
        """Take records."""
        self.events.extend(Record(value, stamp) for value, stamp in batch)

    def watermark(self, timestamp: int) -> None:
        """Take a watermark."""
        self.events.append(Watermark(timestamp))

    def status(self, active: bool) -> None:
        """Take a change of status."""
        self.events.append(Status(active))

    @property
    def records(self) -> list[Record]:
        """The records, without what stood between them."""
        return [event for event in self.events if isinstance(event, Record)]


class SideRecorders(dict[str, "list[Recorder]"]):
    """A recorder for every side output that is ever used, by tag."""

    def get(self, tag: str, default: Any = None) -> Any:
        """Return the recorder of a tag, made at first use, as the one edge that listens to it."""
        return self.setdefault(tag, [Recorder()])
