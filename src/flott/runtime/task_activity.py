"""What a subtask works on in the middle of an epoch: its records so far, its operator, and the line of the user's."""

from __future__ import annotations

import sys
import sysconfig
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flott.runtime.operator import Operator

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from flott.runtime.input_gate import InputGate

FLOTT = str(Path(__file__).parents[1])
LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
"""Code here is not the user's."""


@dataclass(frozen=True, slots=True)
class TaskActivity:
    """What one subtask does at a moment of an epoch."""

    vertex: int
    subtask: int
    epoch: int
    records: int
    """Records that it has taken in during this epoch."""
    operator: str | None = None
    """The operator at work, by name."""
    line: str | None = None
    """The function of the user's that is running, with file and line."""


@dataclass(frozen=True, slots=True)
class Working:
    """An epoch that a subtask works on."""

    epoch: int
    thread: int
    gate: InputGate

    @staticmethod
    def here(epoch: int, gate: InputGate) -> Working:
        """Return the work that this thread begins."""
        return Working(epoch, threading.get_ident(), gate)

    def frame(self) -> FrameType | None:
        """Return the innermost frame of the thread at work."""
        return sys._current_frames().get(self.thread)  # noqa: SLF001 - documented, and the only way


def at_work(frame: FrameType | None, outermost: CodeType) -> tuple[str | None, str | None]:
    """Return the name of the operator and the line of the user's that a thread is in, innermost first.

    Args:
        frame: The innermost frame.
        outermost: The code of the function that began the task's work; what called that is not the task's.

    >>> at_work(None, at_work.__code__)
    (None, None)
    """
    operator = line = None
    while frame is not None and frame.f_code is not outermost and operator is None:
        mine = frame.f_locals.get("self")
        if isinstance(mine, Operator):
            operator = mine.context.name
        elif line is None and is_of_user(frame.f_code.co_filename):
            line = f"{frame.f_code.co_name} ({Path(frame.f_code.co_filename).name}:{frame.f_lineno})"
        frame = frame.f_back
    return operator, line


def is_of_user(file: str) -> bool:
    """Return whether a file of code belongs to the user: neither to Flott nor to Python's libraries.

    >>> is_of_user("/home/me/job.py"), is_of_user(__file__), is_of_user("<frozen importlib>")
    (True, False, False)
    """
    return not file.startswith((FLOTT, "<frozen", *LIBRARIES))
