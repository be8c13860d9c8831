"""A part of a file that one subtask reads from beginning to end: the split of a file source."""

from __future__ import annotations

import re
from dataclasses import dataclass

ID = re.compile(r"(?P<path>.*)@(?P<start>\d+)-(?P<stop>\d+)/(?P<size>\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileRange:
    """The bytes from ``start`` up to ``stop`` of a file of ``size`` bytes.

    >>> FileRange("a.txt", 0, 100, 300).id
    'a.txt@0-100/300'
    >>> FileRange.of("a.txt@0-100/300").stop
    100
    """

    path: str
    start: int
    stop: int
    size: int
    """The file's size when it was found; what is appended later is not read."""

    @property
    def id(self) -> str:
        """The name of the split, from which a task knows all of it."""
        return f"{self.path}@{self.start}-{self.stop}/{self.size}"

    @staticmethod
    def of(split_id: str) -> FileRange:
        """Return the range that a split's name means."""
        match = ID.fullmatch(split_id)
        if match is None:
            raise ValueError(f"{split_id!r} is not the name of a file range")
        return FileRange(match["path"], int(match["start"]), int(match["stop"]), int(match["size"]))
