"""A process without compiled code that runs what it is sent: the same job, on the same values, for comparison."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.values.runs import Run

ROOT = Path(__file__).parents[2]


class PureWorker:
    """The process, from the side of the tests."""

    def __init__(self) -> None:
        paths = [str(ROOT), str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.values.pure_worker"],
            cwd=ROOT,
            env={**os.environ, "FLOTT_PURE": "1", "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def outcome(self, run: Run) -> list[list[str]]:
        """Run a job there; what it raises is raised here."""
        assert self._process.stdin
        assert self._process.stdout
        pickle.dump(run, self._process.stdin)
        self._process.stdin.flush()
        found, error = pickle.load(self._process.stdout)
        assert error is None, f"without compiled code: {error}"
        return found  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve() -> None:
    """Answer until the input ends; whatever jobs print goes to the other stream."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            run = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer: Any = (run.outcome(), None)
        except Exception:  # noqa: BLE001 - whatever it is, the test shows it
            answer = (None, traceback.format_exc())
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    serve()
