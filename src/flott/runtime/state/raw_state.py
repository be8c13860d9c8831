"""Raw state: bytes that a function writes and reads itself, of a subtask or of a key group."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from flott.errors import StateAccessError

if TYPE_CHECKING:
    from collections.abc import Iterator


class RawStateOutput:
    """Takes the raw state of a subtask, in partitions: each goes whole to one subtask when the job is rescaled.

    >>> out = RawStateOutput()
    >>> out.start_new_partition()
    >>> _ = out.write(b"one")
    >>> out.start_new_partition()
    >>> _ = out.write(b"two")
    >>> out.partitions()
    [b'one', b'two']
    """

    def __init__(self) -> None:
        self._partitions: list[BytesIO] = []

    def start_new_partition(self) -> None:
        """Begin a new partition; without it, all is one."""
        self._partitions.append(BytesIO())

    def get_number_of_partitions(self) -> int:
        """Return how many partitions were begun."""
        return len(self._partitions)

    def write(self, data: bytes) -> int:
        """Append bytes to the partition."""
        if not self._partitions:
            self.start_new_partition()
        return self._partitions[-1].write(data)

    def partitions(self) -> list[bytes]:
        """Return what was written, by partition."""
        return [one.getvalue() for one in self._partitions]


class KeyedRawStateOutput:
    """Takes raw state by key group: each goes to the subtask that has the group, however the job is rescaled.

    >>> out = KeyedRawStateOutput("operator 'x'", range(0, 64))
    >>> out.start_new_key_group(7)
    >>> _ = out.write(b"seven")
    >>> out.groups()
    {7: b'seven'}
    """

    def __init__(self, title: str, groups: range) -> None:
        self._title = title
        self._mine = groups
        self._groups: dict[int, BytesIO] = {}
        self._current: BytesIO | None = None

    def get_key_group_list(self) -> range:
        """Return the key groups of this subtask."""
        return self._mine

    def start_new_key_group(self, key_group: int) -> None:
        """Begin the bytes of a key group; each group once."""
        if key_group not in self._mine:
            message = (
                f"{self._title}: key group {key_group} is not of this subtask, which has "
                f"{self._mine.start} to {self._mine.stop - 1}"
            )
            raise StateAccessError(message)
        if key_group in self._groups:
            message = f"{self._title}: the raw state of key group {key_group} was begun before; write each group once"
            raise StateAccessError(message)
        self._current = self._groups[key_group] = BytesIO()

    def write(self, data: bytes) -> int:
        """Append bytes to the key group."""
        if self._current is None:
            message = f"{self._title}: raw keyed state belongs to a key group; call start_new_key_group(...) first"
            raise StateAccessError(message)
        return self._current.write(data)

    def groups(self) -> dict[int, bytes]:
        """Return what was written, by key group."""
        return {group: written.getvalue() for group, written in self._groups.items()}


class KeyGroupStatePartition(NamedTuple):
    """The raw state of one key group."""

    key_group: int
    stream: BytesIO

    def get_key_group_id(self) -> int:
        """Return the number of the key group."""
        return self.key_group

    def get_stream(self) -> BytesIO:
        """Return the bytes, as a file to read."""
        return self.stream


def partitions_of(raw: list[bytes]) -> Iterator[BytesIO]:
    """Give out the raw state of a subtask, a file to read for each partition."""
    return map(BytesIO, raw)


def groups_of(raw: dict[int, bytes]) -> Iterator[KeyGroupStatePartition]:
    """Give out raw keyed state, by key group."""
    return (KeyGroupStatePartition(group, BytesIO(raw[group])) for group in sorted(raw))
