"""Messages between task and commit: in the checkpoint itself, or in a file when there are many."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.connectors.staged_files import StagingArea, writer_folder

if TYPE_CHECKING:
    from flott.connectors.base import SinkScope
    from flott.runtime.operators.sinks import WriterInitContext

INLINE_BYTES = 64 << 10
"""Up to here messages travel in the checkpoint, also where there is a staging directory."""


@dataclass(frozen=True, slots=True)
class StagedMessages:
    """What one writer has prepared in one epoch: the committable of an exactly-once Kafka sink."""

    id: str
    """Unique: by this a commit is recognised that was made before."""
    transactional_id: str
    topic: str
    """One of the topics that the messages go to; the marker of the commit lies with its first partition."""
    count: int
    size: int
    data: bytes | None = field(repr=False)
    """The messages, compressed; None when they are in a file."""
    file: str | None = None
    """Relative to the staging directory."""


class Stager:
    """Stages the messages of one subtask."""

    def __init__(self, directory: str | None, transactional_id: str, context: WriterInitContext) -> None:
        self._area = None if directory is None else StagingArea(directory)
        self._folder = writer_folder(context)
        self._transactional_id = transactional_id

    def stage(self, messages: list[tuple[Any, ...]]) -> StagedMessages:
        """Make messages durable, or ready to travel to where they will be."""
        raw = pickle.dumps(messages, protocol=5)
        data = zlib.compress(raw, 1)
        name = uuid4().hex
        file = None
        if self._area is not None and len(data) > INLINE_BYTES:
            file = f"{self._folder}/{name}"
            with self._area.create(file) as opened:
                opened.write(data)
        return StagedMessages(
            name,
            self._transactional_id,
            messages[0][0],
            len(messages),
            len(raw),
            data if file is None else None,
            file,
        )


class StagedStore:
    """The driver's side: gives staged messages back and removes them."""

    def __init__(self, directory: str | None) -> None:
        self._area = None if directory is None else StagingArea(directory)

    def load(self, staged: StagedMessages) -> list[tuple[Any, ...]] | None:
        """Return the messages; None if their file is gone."""
        data = staged.data
        if data is None:
            if self._area is None or staged.file is None:
                return None
            data = self._area.read(staged.file)
            if data is None:
                return None
        messages: list[tuple[Any, ...]] = pickle.loads(zlib.decompress(data))
        return messages

    def remove(self, staged: StagedMessages) -> None:
        """Remove the file, if there is one: its messages are committed."""
        if self._area is not None and staged.file is not None:
            self._area.remove([staged.file])
            self._area.remove_empty(staged.file.rpartition("/")[0])

    def tidy(self, scope: SinkScope, kept: list[StagedMessages]) -> None:
        """Remove what attempts left that nobody will commit."""
        if self._area is not None:
            self._area.tidy(scope, {one.file for one in kept if one.file is not None})

    def make_durable(self, staged: list[StagedMessages]) -> None:
        """See to it that files survive a power failure."""
        if self._area is not None:
            self._area.sync([one.file for one in staged if one.file is not None])
