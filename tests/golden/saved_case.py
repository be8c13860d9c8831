"""One small job whose state was saved: how it is built, stopped half-way with a savepoint, and restored from it.

What a case emits is compared as a table: how many times each line is there once all changes are applied. So neither
order nor parallelism shows, nor how often a changelog changes its mind.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from tests.coordination.checkpoints.every_state_job import FROM, Hold, lines, text_sink
from tests.waiting import PATIENCE, wait_while_running

from flott.common import Configuration, Types, WatermarkStrategy
from flott.common.watermark_strategy import TimestampAssigner
from flott.connectors.data_generator import DataGeneratorSource
from flott.datastream import StreamExecutionEnvironment
from flott.runtime.clock import ManualClock
from flott.testing.cluster import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream import DataStream

RECORDS = 96
HOLD_AT = 60
STEP = 10
"""Milliseconds of event time from one record to the next."""
END = RECORDS * STEP + 1
TAKEN_BACK = "-"
"""What a line begins with that takes one of the same text back; others begin with ``+``."""
CHECKPOINTS = {
    "execution.checkpointing.interval": "1 ms",
    "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
}


class Stamp(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value * STEP


@contextmanager
def small_epochs():
    with (
        patch("flott.connectors.index_range.RECORDS_PER_SUBTASK", 8),
        patch("flott.coordination.sizing.LARGEST_STEP", 1.0),
    ):
        yield


@dataclass(frozen=True)
class Case:
    """A job on a stream of numbers; it returns what it found as lines."""

    name: str
    build: Callable[[DataStream], DataStream]
    options: dict[str, str] = field(default_factory=dict)
    checkpoint: bool = False
    """Whether it is saved by a checkpoint, which stands on the changes of several epochs, not by a savepoint."""

    def program(self, out: Path, parallelism: int, options: dict[str, str]) -> Any:
        configuration = Configuration().set_string("flott.execution.target", "in-process")
        for option, value in {**self.options, **options}.items():
            configuration.set_string(option, value)
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_parallelism(parallelism)
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Stamp())
        numbers = env.from_source(DataGeneratorSource(lambda index: index, RECORDS), strategy, "numbers").uid("numbers")
        held = numbers.map(Hold(), Types.LONG()).uid("hold")
        self.build(held).sink_to(text_sink(out)).uid("out")
        return env

    def save(self, folder: Path) -> Path:
        """Run the job up to ``HOLD_AT``; return where its savepoint is."""
        _reset(HOLD_AT)
        env = self.program(folder / "before", 2, {})
        with small_epochs():
            client = submit(env.program("golden"), env._configuration, ManualClock(1_000))
            wait_while_running(client, "the record to hold at", Hold.reached.is_set)
            promise = client.stop_with_savepoint(False, str(folder / "savepoints"))
            Hold.go_on.set()
            return Path(promise.result(PATIENCE))

    def save_checkpoint(self, folder: Path) -> Path:
        """Run the job up to ``HOLD_AT`` and cancel it; return where its checkpoints are."""
        _reset(HOLD_AT)
        env = self.program(folder / "before", 2, {**CHECKPOINTS, "execution.checkpointing.dir": str(folder / "kept")})
        with small_epochs():
            client = submit(env.program("golden"), env._configuration)
            wait_while_running(client, "the record to hold at", Hold.reached.is_set)
            cancelled = client.cancel()
            Hold.go_on.set()
            cancelled.result(PATIENCE)
        [job] = (folder / "kept").iterdir()
        return job

    def finish(self, out: Path, options: dict[str, str], parallelism: int = 2) -> list[str]:
        """Run the job to its end; return its output."""
        _reset(None)
        out.mkdir(parents=True, exist_ok=True)  # where what the checkpoint's job committed was
        env = self.program(out, parallelism, options)
        with small_epochs():
            client = submit(env.program("golden"), env._configuration, ManualClock(10_000))
            client.get_job_execution_result().result(PATIENCE)
        return lines(out)

    def write(self, target: Path) -> None:
        """Save the job, restore it, and write down all of that in one file."""
        with tempfile.TemporaryDirectory() as place:
            root = Path(place)
            saved = self.save_checkpoint(root) if self.checkpoint else self.save(root)
            before = lines(root / "before")
            after = self.finish(root / "after", {FROM: str(_complete(saved))})
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
                for file in sorted(saved.rglob("*")):
                    if file.is_file():
                        _add(archive, f"savepoint/{file.relative_to(saved)}", file.read_bytes())
                _add(archive, "before.txt", _text(before))
                _add(archive, "result.txt", _text(table(before + after)))
            (target / f"{self.name}.zip").write_bytes(content.getvalue())

    def restored(self, archive: Path, folder: Path, parallelism: int) -> tuple[list[str], list[str]]:
        """Run the rest of the job from its savepoint; return the table that it leads to, and the one it has to be."""
        with zipfile.ZipFile(archive) as saved:
            saved.extractall(folder)
        before = (folder / "before.txt").read_text(encoding="utf-8").splitlines()
        after = self.finish(folder / "after", {FROM: str(_complete(folder / "savepoint"))}, parallelism)
        return table(before + after), (folder / "result.txt").read_text(encoding="utf-8").splitlines()


def table(changes: list[str]) -> list[str]:
    """Apply changes, whose first character says what they do.

    >>> table(["+a", "+b", "-a", "+c", "+c"])
    ['b', 'c', 'c']
    """
    left: Counter[str] = Counter()
    for line in changes:
        left[line[1:]] += -1 if line.startswith(TAKEN_BACK) else 1
    return sorted(left.elements())


def _complete(saved: Path) -> Path:
    """Return the folder of the newest metadata."""
    return max(saved.rglob("_metadata"), key=lambda path: (len(path.parent.name), path.parent.name)).parent


def _reset(hold_at: int | None) -> None:
    Hold.at = hold_at
    Hold.reached.clear()
    Hold.go_on.clear()


def _text(some: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in some).encode()


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)
