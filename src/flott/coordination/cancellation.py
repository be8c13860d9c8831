"""A job that was cancelled ends: it is interrupted again at intervals, and abandoned at the timeout."""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import flott
from flott.common.options import ExecutionOptions
from flott.runtime.operator import Operator

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from flott.common import Configuration
    from flott.coordination.runner import EpochRunner
    from flott.runtime.clock import Stopwatch

log = logging.getLogger("flott.job")

KILLS = 5
"""How often workers are killed before the job is left behind: as often as Spark tries a task, and once more."""

OURS = str(Path(flott.__file__).parent)


@dataclass(frozen=True, slots=True)
class CancellationSettings:
    """``task.cancellation.*``, in milliseconds."""

    interval: int = 30_000
    timeout: int = 180_000
    """0: never give up."""

    @staticmethod
    def of(configuration: Configuration) -> CancellationSettings:
        """Read the settings from a configuration."""
        return CancellationSettings(
            configuration.get(ExecutionOptions.TASK_CANCELLATION_INTERVAL),
            configuration.get(ExecutionOptions.TASK_CANCELLATION_TIMEOUT),
        )


class Cancellation:
    """Watches over the end of a job from the moment it is cancelled, in a thread of its own."""

    def __init__(
        self,
        job_name: str,
        settings: CancellationSettings,
        runner: EpochRunner,
        ended: threading.Event,
        give_up: Callable[[], None],
        stopwatch: Stopwatch,
    ) -> None:
        self._job_name = job_name
        self._stopwatch = stopwatch
        self._settings = settings
        self._runner = runner
        self._ended = ended
        """Set when the job is over."""
        self._give_up = give_up
        """Completes the job's handle, though its thread has not ended."""
        self._started = threading.Lock()

    def begin(self, worker: threading.Thread) -> None:
        """Interrupt what runs, and go on until the job is over; asked again, it goes on."""
        self._interrupt()
        if worker.is_alive() and self._started.acquire(blocking=False):
            name = f"flott-cancel-{self._job_name}"
            threading.Thread(target=self._watch, args=(worker,), name=name, daemon=True).start()

    def _interrupt(self) -> None:
        try:
            self._runner.cancel()
        except Exception as error:  # noqa: BLE001 - whatever runs epochs may be gone
            log.warning("job '%s' could not be interrupted (%s); retrying", self._job_name, error)

    def _watch(self, worker: threading.Thread) -> None:
        interval, timeout = self._settings.interval / 1000, self._settings.timeout / 1000
        begun = self._stopwatch()
        left = timeout or interval
        while left > 0:
            if self._ended.wait(min(interval, left)):
                return
            self._interrupt()
            left = timeout - (self._stopwatch() - begun) if timeout else interval
        place = place_of(worker)
        log.error("job '%s' was cancelled %d ms ago and still works: %s. What works there is killed or left behind "
                  "(task.cancellation.timeout)", self._job_name, self._settings.timeout, place)  # fmt: skip
        # What is killed ends the job in order, if there is anything to kill; Spark may retry a task a few times.
        for _ in range(KILLS):
            self._kill()
            if self._ended.wait(min(interval, timeout)):
                return
        self._give_up()

    def _kill(self) -> None:
        try:
            self._runner.kill()
        except Exception as error:  # noqa: BLE001 - the handle completes either way
            log.warning("workers of job '%s' could not be killed: %s", self._job_name, error)


def place_of(thread: threading.Thread) -> str:
    """Say in which function, of which operator, a thread is."""
    frame: FrameType | None = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - the documented way to look
    function = "no function of the program"
    while frame is not None:
        here = frame.f_code
        if not here.co_filename.startswith(OURS):
            function = f"{here.co_name}() at {here.co_filename}:{frame.f_lineno}"
        owner = frame.f_locals.get("self")
        if isinstance(owner, Operator) and hasattr(owner, "context"):
            return f"{owner.context.title}, {function}"
        frame = frame.f_back
    return function
