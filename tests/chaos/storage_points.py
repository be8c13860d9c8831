"""Finds the points between two changes of storage by itself, and lets a driver die, stall or pause at any of them.

Every operation of storage and of sinks' staging areas that changes something is wrapped. A driver is one thread, with
another that writes its checkpoints; what both do is counted together, and done one after the other unless it stalls.
"""

from __future__ import annotations

import errno
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import wraps

from tests.waiting import PATIENCE

from flott.connectors.staged_files import StagingArea
from flott.runtime.storage import LocalStorage, RemoteStorage, S3Storage, UncertainWriteError

STORAGE = ("write", "sync", "swap", "delete", "delete_folder", "delete_versioned", "remove_if_empty")
STAGING = ("create", "sync", "publish", "remove", "tidy", "make_durable", "remove_empty")
WRAPPED = [
    *((kind, name) for kind in (LocalStorage, RemoteStorage, S3Storage) for name in STORAGE if name in vars(kind)),
    *((StagingArea, name) for name in STAGING),
]
STALL = 0.2
"""A stalled operation goes on after so many seconds, if the loop waits for it."""


class Died(BaseException):
    """kill -9 of the driver; also of its workers, which are the same process here."""


@dataclass
class Driver:
    """One driver: what it has done, and what befalls it."""

    number: int
    dies_at: int = 0
    """It dies before its n-th operation; 0: never."""
    pauses_at: int = 0
    pauses_before: str = ""
    """It pauses before its first operation of this name."""
    stalls_at: int = 0
    outlasts: bool = True
    """What stalls takes longer than the timeout of checkpoints."""
    dies_behind: int = 0
    """It dies before its n-th operation after what stalled goes on; 0: never."""
    fails_at: int = 0
    """Its n-th operation raises an error."""
    fails_after: bool = False
    """It raises only when all is done, as when the answer is lost."""
    silence: int = 0
    """When an answer was lost, so many questions to the store fail as well."""
    restarts: int = 1000
    """So often the job comes back after a failure."""
    silent: int = 0
    woke_at: int = 0
    done: list = field(default_factory=list)
    dead: bool = False
    failed: BaseException | None = None
    paused: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    stalled: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    came: threading.Event = field(default_factory=threading.Event)
    """What it writes beside its loop is done, or stalls."""
    depth: threading.local = field(default_factory=threading.local)

    def reach(self, name):
        """Come to an operation; return whether it is to fail."""
        if self.dead:
            raise Died
        self.done.append(name)
        count = len(self.done)
        if count == self.dies_at or (self.woke_at and count == self.woke_at + self.dies_behind):
            self.dead = True
            raise Died
        if count == self.pauses_at or (name == self.pauses_before and not self.paused.is_set()):
            self.paused.set()
            assert self.go_on.wait(PATIENCE)
        if count == self.stalls_at:
            self.stalled.set()
            self.came.set()
            self.release.wait(STALL)
            self.release.set()
            self.woke_at = len(self.done) if self.dies_behind else 0
        if self.dead:
            raise Died
        return count == self.fails_at


DRIVERS: dict = {}
"""By thread."""


def watched(kind, name):
    act = getattr(kind, name)

    @wraps(act)
    def operation(self, *words, **named):
        driver = DRIVERS.get(threading.get_ident())
        if driver is None or getattr(driver.depth, "inside", False):
            return act(self, *words, **named)
        fails = driver.reach(f"{kind.__name__}.{name}")
        if fails and not driver.fails_after:
            raise OSError(errno.EIO, f"{name} fails")
        driver.depth.inside = True
        try:
            result = act(self, *words, **named)
        finally:
            driver.depth.inside = False
        if fails:
            driver.silent = driver.silence
            raise (UncertainWriteError if name == "swap" else OSError)(errno.EIO, f"{name} is done, its answer is lost")
        return result

    return operation


def answering(kind):
    """Wrap what asks for a version: not a point, since it changes nothing, but the store may not answer."""
    ask = kind.read_version

    @wraps(ask)
    def answer(self, name):
        driver = DRIVERS.get(threading.get_ident())
        if driver is not None and driver.silent:
            driver.silent -= 1
            raise OSError(errno.EIO, "the store does not answer")
        return ask(self, name)

    return answer


def watch(monkeypatch):
    """Wrap all operations."""
    for kind in (LocalStorage, RemoteStorage, S3Storage):
        if "read_version" in vars(kind):
            monkeypatch.setattr(kind, "read_version", answering(kind))
    for kind, name in WRAPPED:
        monkeypatch.setattr(kind, name, watched(kind, name))
    DRIVERS.clear()


class Beside:
    """Writes a driver's checkpoints: the loop waits for each piece of work, but for one that stalls."""

    def __init__(self, driver):
        self.driver = driver
        self.waiting = []
        self.done = threading.Event()
        self.done.set()

    def submit(self, work):
        future = Future()
        self.waiting.append((work, future))
        self.join()
        return future

    def join(self):
        """Let the work be done; come back early if it stalls."""
        driver = self.driver
        while self.waiting or not self.done.is_set():
            if self.done.is_set():
                work, future = self.waiting.pop(0)
                self.done.clear()
                driver.came.clear()
                threading.Thread(target=self.run, args=(work, future), daemon=True).start()
            driver.came.wait()
            if not self.done.is_set() and not driver.release.is_set():
                return
            self.done.wait()
        if self.driver.dead:
            raise Died

    def run(self, work, future):
        DRIVERS[threading.get_ident()] = self.driver
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - handed on
            future.set_exception(error)
        except Died:
            future.set_exception(OSError("the driver is dead"))
        finally:
            del DRIVERS[threading.get_ident()]
            self.done.set()
            self.driver.came.set()

    def shutdown(self):
        self.driver.release.set()
        self.join()
