"""Text from a socket as a source."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from flott.common.typeinfo import Types
from flott.connectors.base import BATCH_SIZE, Source
from flott.connectors.paths import absolute
from flott.connectors.socket_receiver import SocketAddress, SocketReceiver
from flott.errors import FlottError, GraphError
from flott.runtime.batch import Batch
from flott.runtime.source import SourcePlan, SplitRead
from flott.runtime.storage import open_storage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation

log = logging.getLogger(__name__)

BYTES_PER_EPOCH = 4 << 20
"""What an epoch takes at scale 1."""
HELD_BYTES = 64 << 20
"""What the driver holds before it stops to receive and the sender has to wait."""
LARGEST_PORT = 65535


@dataclass(frozen=True, slots=True)
class Logged:
    """A position: an offset in all that was received, and the directory of the log."""

    directory: str
    offset: int

    @property
    def piece(self) -> str:
        """The name of the logged piece that starts here."""
        return f"received-{self.offset:020d}"


class SocketTextSource(Source):
    r"""Records of text that a server sends, each ended by a delimiter.

    A socket can't be read twice, so the driver receives, writes what it will plan to a log, and tasks read that.
    With the delimiter ``\\n`` a carriage return before it is dropped too. The input ends when the server closes the
    connection, unless ``max_retry`` (-1: for ever) lets the source connect again. Only one subtask reads.

    On a cluster, ``log_directory`` must be a directory that all machines reach (a path or URL). What was
    received before the driver itself dies is gone, as the server won't send it again.

    >>> SocketTextSource("localhost", 9999).is_bounded()
    False
    """

    fresh_batches: ClassVar[bool] = True

    def __init__(
        self, host: str, port: int, delimiter: str = "\n", max_retry: int = 0, log_directory: str | None = None
    ) -> None:
        if not 0 < port <= LARGEST_PORT:
            raise GraphError(f"a socket's port is a number from 1 to {LARGEST_PORT}, not {port}")
        if not delimiter:
            raise GraphError(r"a socket's delimiter must not be empty; usual is '\n'")
        self.delimiter = delimiter
        self.address = SocketAddress(host, port, delimiter.encode(), max_retry)
        self.log_directory = None if log_directory is None else absolute(log_directory)

    def is_bounded(self) -> bool:
        return False

    def create_enumerator(self, parallelism: int) -> SocketTextEnumerator:
        return SocketTextEnumerator(self.address, parallelism, self.log_directory)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        if read.start == read.end:
            return
        try:
            logged = open_storage(read.start.directory).read(read.start.piece)
        except FileNotFoundError:
            raise FlottError(
                f"what came from socket {self.address.host}:{self.address.port} was logged to '{read.start.directory}' "
                f"in the driver, and this worker finds nothing there. Set log_directory to one that all machines reach."
            ) from None
        records = logged.decode("utf-8", "replace").split(self.delimiter)
        records.pop()  # nothing follows the last delimiter
        if self.delimiter == "\n":
            records = [record.removesuffix("\r") for record in records]
        for start in range(0, len(records), BATCH_SIZE):
            yield Batch(records[start : start + BATCH_SIZE])

    def get_produced_type(self) -> TypeInformation:
        return Types.STRING()


class SocketTextEnumerator:
    """Receives, logs and plans. Positions are offsets in all that was received; a plan takes one piece of the log.

    A piece is removed once a later one is planned and neither of the last two snapshots needs it: whoever asks for
    a second snapshot has by then completed, or given up, what the first was for.
    """

    def __init__(self, address: SocketAddress, parallelism: int, log_directory: str | None = None) -> None:
        self._address = address
        self._parallelism = parallelism
        self._receiver: SocketReceiver | None = None
        self._temporary = log_directory is None
        self._directory = tempfile.mkdtemp(prefix="flott-socket-") if log_directory is None else log_directory
        self._storage = open_storage(self._directory)
        self._pieces: deque[tuple[int, int]] = deque()
        self._next = 0
        self._received = 0
        self._ended = False
        self._snapshots: deque[int] = deque(maxlen=2)

    def plan(self, scale: float, now: int) -> SourcePlan:
        """Plan what has come, about as much as ``scale`` asks for."""
        if self._ended:
            return SourcePlan(reads=((),) * self._parallelism, empty=True, backlog=False, ended=True)
        if self._receiver is None:
            self._receiver = SocketReceiver(self._address, HELD_BYTES)
            self._receiver.start()
        self._forget()
        replayed = next((piece for piece in self._pieces if piece[0] == self._next), None)
        start, end = replayed or self._log(self._receiver.take(max(1, int(BYTES_PER_EPOCH * scale))))
        self._next = end
        more = end < self._received or self._receiver.waiting
        self._ended = not more and self._receiver.ended
        read = SplitRead("socket", Logged(self._directory, start), Logged(self._directory, end), ended=self._ended)
        return SourcePlan(
            reads=((read,), *[()] * (self._parallelism - 1)),
            empty=start == end,
            backlog=more,
            ended=self._ended,
        )

    def _log(self, data: bytes) -> tuple[int, int]:
        """Write what has come to the log; return where it starts and ends."""
        piece = self._next, self._next + len(data)
        if data:
            self._storage.write(Logged(self._directory, self._next).piece, data)
            self._pieces.append(piece)
            self._received = piece[1]
        return piece

    def _forget(self) -> None:
        """Remove what nobody can ask for any more; earlier epochs are complete when a new one is planned."""
        needed = min([self._next, *self._snapshots])
        while self._pieces and self._pieces[0][1] <= needed:
            self._remove_first()

    def _remove_first(self) -> None:
        self._storage.delete(Logged(self._directory, self._pieces.popleft()[0]).piece)

    def snapshot(self) -> int:
        """Return the offset up to which was planned."""
        self._snapshots.append(self._next)
        return self._next

    def restore(self, state: int) -> None:
        """Go back to an offset; what the log does not hold any more won't come again."""
        self._ended = False
        if self._receiver is None:
            self._next = self._received = state
            return
        first = self._pieces[0][0] if self._pieces else self._received
        if state < first:
            address = self._address
            log.warning(
                "socket %s:%d: %d bytes received before the restart are gone, their records will be missing",
                address.host,
                address.port,
                first - state,
            )
        self._next = max(state, first)

    def close(self) -> None:
        """End the connection and remove the log."""
        if self._receiver is not None:
            self._receiver.close()
        while self._pieces:
            self._remove_first()
        if self._temporary:
            shutil.rmtree(self._directory, ignore_errors=True)
