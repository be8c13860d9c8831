"""The driver's end of a socket: a thread that receives whole records, and waits when too many are held."""

from __future__ import annotations

import logging
import socket
import threading
from collections import deque
from dataclasses import dataclass

from flott.errors import JobExecutionError

log = logging.getLogger(__name__)

CONNECT_TIMEOUT = 10.0
"""Seconds."""
CHUNK = 1 << 16
POLL = 0.2
"""Seconds after which a silent connection looks whether it should end."""


@dataclass(frozen=True, slots=True)
class SocketAddress:
    """Where the text comes from, and how it is cut."""

    host: str
    port: int
    delimiter: bytes
    max_retry: int = 0
    """How often to connect again after the connection was lost or refused; negative: for ever."""
    retry_delay: float = 0.5
    """Seconds."""


class SocketReceiver:
    """Receives in a thread. ``take`` hands over what has come, in whole records, each with its delimiter."""

    def __init__(self, address: SocketAddress, limit: int) -> None:
        self._address = address
        self._limit = limit
        self._changed = threading.Condition()
        self._held: deque[bytes] = deque()
        self._size = 0
        self._unfinished = bytearray()
        self._error: Exception | None = None
        self._ended = False
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=self._live, name=f"flott-socket-{address.host}:{address.port}", daemon=True
        )

    def start(self) -> None:
        """Start to receive."""
        self._thread.start()

    def take(self, most: int) -> bytes:
        """Return records that have come, at most ``most`` bytes or what came at once, and make room for others."""
        with self._changed:
            if not self._held and self._error is not None:
                raise self._error
            taken: list[bytes] = []
            while self._held and (not taken or len(self._held[0]) <= most):
                taken.append(self._held.popleft())
                most -= len(taken[-1])
                self._size -= len(taken[-1])
            self._changed.notify_all()
        return b"".join(taken)

    @property
    def waiting(self) -> bool:
        """Whether records have come that nobody has taken."""
        with self._changed:
            return bool(self._held)

    @property
    def ended(self) -> bool:
        """Whether nothing more will come, and everything was taken."""
        with self._changed:
            return self._ended and not self._held and self._error is None

    def close(self) -> None:
        """End the connection and the thread."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def _live(self) -> None:
        try:
            self._receive_all()
        except Exception as error:  # noqa: BLE001 - raised where the driver plans
            with self._changed:
                self._error = error
        with self._changed:
            if self._unfinished:
                self._held.append(bytes(self._unfinished + self._address.delimiter))
            self._ended = True

    def _receive_all(self) -> None:
        address = self._address
        attempt = 0
        connected = False
        while not self._closing.is_set():
            try:
                with socket.create_connection((address.host, address.port), CONNECT_TIMEOUT) as connection:
                    connected = True
                    self._receive(connection)
                    lost = "the server closed the connection"
            except OSError as error:
                lost = str(error)
            attempt += 1
            if self._closing.is_set() or 0 <= address.max_retry < attempt:
                break
            log.warning("socket %s:%d: %s; connecting again", address.host, address.port, lost)
            self._closing.wait(address.retry_delay)
        if not connected and not self._closing.is_set():
            raise JobExecutionError(
                f"no connection to {address.host}:{address.port} ({lost}). Start the server before the job, "
                f"for example `nc -lk {address.port}`, or set max_retry so that the job waits for it."
            )

    def _receive(self, connection: socket.socket) -> None:
        connection.settimeout(POLL)
        while not self._closing.is_set():
            try:
                data = connection.recv(CHUNK)
            except TimeoutError:
                continue
            if not data:
                return
            self._hold(data)

    def _hold(self, data: bytes) -> None:
        """Keep what has come; wait while too much is held, so that TCP slows the sender down."""
        delimiter = self._address.delimiter
        searched = max(0, len(self._unfinished) - len(delimiter) + 1)
        self._unfinished += data
        if self._unfinished.find(delimiter, searched) < 0:
            return
        # Not rfind: a delimiter such as "--" may overlap with itself, and the leftmost counts.
        rest = self._unfinished.split(delimiter)[-1]
        whole = bytes(self._unfinished[: len(self._unfinished) - len(rest)])
        self._unfinished = rest
        with self._changed:
            self._held.append(whole)
            self._size += len(whole)
            self._changed.wait_for(lambda: self._size < self._limit or self._closing.is_set())
