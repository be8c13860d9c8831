"""The two processes that are compared, one per revision."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.compare.scenarios import Scenario

ROOT = Path(__file__).resolve().parents[2]
IN_PROCESS, SPARK = "in-process", "spark"


class SideFailed(Exception):  # noqa: N818 - reads as what happened
    """A revision could not run a scenario."""


@dataclass(frozen=True)
class Cost:
    """What one run took."""

    cpu: float
    seconds: float


class Side:
    """A process that runs scenarios with the code of one revision."""

    def __init__(self, source: Path, target: str, *, pure: bool) -> None:
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the process
        paths = [str(source), str(ROOT), str(ROOT / "benchmarks"), str(ROOT / "benchmarks" / "programs")]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONHASHSEED": "0",  # the same order of sets in both
            "FLOTT_PURE": "1" if pure else "0",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        command = [sys.executable, "-m", "benchmarks.compare.worker", str(source), target]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=environment,
            cwd=ROOT,
        )

    def pin(self, processor: int) -> None:
        """Keep the process on one processor, where the system can."""
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(self._process.pid, {processor})

    def ask(self, scenario: Scenario, records: int, rounds: int) -> None:
        """Have a scenario run so many times, after once that does not count."""
        asked = {"scenario": scenario.name, "records": records, "rounds": rounds}
        with suppress(BrokenPipeError):  # the answer says that it failed, and why
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()

    def answer(self) -> list[Cost]:
        """Return what the rounds took that were asked for last."""
        answer = self._process.stdout.readline().strip()
        if not answer:
            self._log.seek(0)
            raise SideFailed(self._log.read()[-2000:])
        return [Cost(**one) for one in json.loads(answer)]

    def close(self) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()


class Sides:
    """Both revisions, on one processor at the same time.

    The scheduler lets them take turns of a few milliseconds, so that both have the same neighbours, the same clock
    rate and the same caches: on a busy machine the ratios of such pairs spread by 3 %, those of runs one after the
    other by 18 %.
    """

    def __init__(self, old: Path, new: Path, target: str, *, pure: bool = False, processor: int | None = None) -> None:
        # Whoever is first has an advantage, or a drawback: chance decides who it is.
        sources = {"old": old, "new": new}
        self._sides = {name: Side(sources[name], target, pure=pure) for name in shuffled(sources)}
        if processor is not None:
            for side in self._sides.values():
                side.pin(processor)

    def run(self, scenario: Scenario, records: int, rounds: int) -> list[tuple[Cost, Cost]]:
        """Run a scenario on both; return what each round took the old one and the new one."""
        for name in shuffled(self._sides):
            self._sides[name].ask(scenario, records, rounds)
        answers = {name: side.answer() for name, side in self._sides.items()}
        return list(zip(answers["old"], answers["new"], strict=True))

    def close(self) -> None:
        for side in self._sides.values():
            side.close()


def shuffled(names: Iterable[str]) -> list[str]:
    """Return the names in any order."""
    found = list(names)
    random.shuffle(found)
    return found
