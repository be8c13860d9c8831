"""Committing what writers prepared: once, and again until it has worked."""

from __future__ import annotations

import logging
from typing import Any

from flott.errors import USER_CODE_RAISES, CommitError, FlottError
from flott.runtime.operators.sink_capabilities import SinkCapabilities, close_committer

log = logging.getLogger("flott.sinks")

MOST_RETRIES = 10
"""``sink.committer.retries``."""


class CommitRequest:
    """Asks a Committer to make one thing visible. When nothing is signalled, it was committed."""

    __slots__ = ("_committable", "_failure", "_retries", "again", "recovered")

    def __init__(self, committable: Any, *, recovered: bool) -> None:
        self._committable = committable
        self._retries = 0
        self._failure: BaseException | None = None
        self.again = False
        self.recovered = recovered
        """It comes from a checkpoint: it may have been committed before."""

    def get_committable(self) -> Any:
        """Return what the writer prepared."""
        return self._committable

    def get_number_of_retries(self) -> int:
        """Return how often this was tried before."""
        return self._retries

    def signal_already_committed(self) -> None:
        """It was committed before: nothing is left to do."""

    def signal_failed_with_known_reason(self, error: BaseException) -> None:
        """It can never be committed, and that is known to be right: it is logged and dropped."""
        log.warning("a sink could not commit %r: %s", self._committable, error)

    def signal_failed_with_unknown_reason(self, error: BaseException) -> None:
        """It can't be committed: the job fails, and tries again when it is restored."""
        self._failure = error

    def retry_later(self) -> None:
        """It did not work for a reason that passes: try again."""
        self.again = True

    def update_and_retry_later(self, committable: Any) -> None:
        """A part of it worked: try again with the rest."""
        self._committable = committable
        self.again = True

    def next_round(self) -> bool:
        """Say whether it is to be tried again, now that all had their turn."""
        if self._failure is not None:
            message = f"a sink could not commit {self._committable!r:.200}: {self._failure}"
            raise CommitError(message) from self._failure
        again, self.again = self.again, False
        self._retries += again
        if self._retries > MOST_RETRIES:
            message = f"a sink could not commit {self._committable!r:.200}: tried {self._retries} times"
            raise CommitError(message)
        return again


def commit_all(sink: Any, committables: list[Any], *, recovered: bool) -> None:
    """Commit what writers of a sink prepared; raises CommitError when something can't be committed."""
    make = SinkCapabilities.of(sink).create_committer
    if make is None or not committables:
        return
    committer = make()
    try:
        waiting = [CommitRequest(committable, recovered=recovered) for committable in committables]
        while waiting:
            try:
                committer.commit(waiting)
            except CommitError:
                raise
            except USER_CODE_RAISES as error:
                told = "" if isinstance(error, FlottError) else f"{type(error).__name__}: "
                message = f"{type(sink).__qualname__} could not commit: {told}{error}"
                raise CommitError(message) from error
            waiting = [request for request in waiting if request.next_round()]
    finally:
        close_committer(committer)
