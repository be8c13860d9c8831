"""How the driver learns what a worker does in the middle of a long epoch: small files in the job's storage."""

from __future__ import annotations

import json
import logging
import threading
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from flott.runtime.task_activity import TaskActivity

if TYPE_CHECKING:
    from flott.runtime.storage import Storage
    from flott.runtime.task import Subtask

log = logging.getLogger("flott.task")

FOLDER = "activity"
EVERY = 3.0
"""Seconds: a task that takes less writes nothing, one that takes longer as often as that."""


class ActivityWriter:
    """Writes down what the task of this worker process does, once that takes long."""

    def __init__(self) -> None:
        self._subtask: Subtask | None = None
        self._begun = threading.Event()
        self._tasks = 0
        self._thread: threading.Thread | None = None

    def begin(self, subtask: Subtask) -> None:
        """A task begins."""
        if self._thread is None:  # not before Spark's daemon has made a process of its own for this worker
            self._thread = threading.Thread(target=self._watch, name="flott-activity", daemon=True)
            self._thread.start()
        self._tasks += 1
        self._subtask = subtask
        self._begun.set()

    def end(self) -> None:
        """The task has ended."""
        self._subtask = None
        self._begun.clear()

    def _watch(self) -> None:
        pause = threading.Event()
        while True:
            self._begun.wait()
            task = self._tasks
            pause.wait(EVERY)
            while task == self._tasks and (subtask := self._subtask) is not None:
                write_activity(subtask)
                pause.wait(EVERY)


def write_activity(subtask: Subtask) -> None:
    """Write down what a subtask does; a task does not fail for want of that."""
    activity = subtask.activity()
    if activity is not None:
        name = f"{FOLDER}/{activity.vertex}-{activity.subtask}"
        try:
            subtask.services.storage.write(name, json.dumps(asdict(activity)).encode())
        except Exception as error:  # noqa: BLE001 - whatever the file system raises
            log.debug("%s could not be written: %s", name, error)


def read_activities(storage: Storage) -> list[TaskActivity]:
    """Return what workers have written down."""
    found = []
    with suppress(OSError):
        for name in storage.names(FOLDER):
            with suppress(OSError, ValueError, TypeError):  # replaced or removed meanwhile
                found.append(TaskActivity(**json.loads(storage.read(name))))
    return found


def remove_activities(storage: Storage) -> None:
    """Remove what workers have written down."""
    with suppress(OSError):
        storage.delete_folder(FOLDER)
