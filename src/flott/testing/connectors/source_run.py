"""Runs a source as the driver and the tasks do, one epoch at a time."""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cloudpickle

from flott.testing.connectors.cases import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.connectors.base import Source
    from flott.runtime.source import Enumerator, SourcePlan, SplitRead
    from flott.testing.connectors.cases import SourceCase

SMALL = 1e-4
"""A scale at which an input of some dozens of records takes several epochs."""
TICK = 60_000
"""How far the time of day goes on between two plans, so that rates and intervals let the source go on."""
LOOK_EVERY = 0.01
MOST_EPOCHS = 100_000


@dataclass(frozen=True, slots=True)
class Epoch:
    """What was planned and read, and where the source stood afterwards, as a checkpoint holds it."""

    plan: SourcePlan
    records: list[Any]
    state: bytes


class SourceRun:
    """One enumerator with its readers; epochs are read by copies of the source, as in tasks."""

    def __init__(self, case: SourceCase, parallelism: int, scale: float = SMALL) -> None:
        source = case.make()
        self.case = case
        self.parallelism = parallelism
        self.scale = scale
        self.bounded = source.is_bounded()
        self._pickled = cloudpickle.dumps(source)
        self.now = 0
        self.enumerator: Enumerator = source.create_enumerator(parallelism)

    def reader(self) -> Source:
        """Return a copy of the source, as a task gets it."""
        source: Source = cloudpickle.loads(self._pickled)
        return source

    def snapshot(self) -> bytes:
        """Return the positions as a checkpoint holds them."""
        return pickle.dumps(self.enumerator.snapshot(), protocol=5)

    def restore(self, state: bytes) -> None:
        """Go back to positions."""
        self.enumerator.restore(pickle.loads(state))

    def close(self) -> None:
        """Close the enumerator."""
        self.enumerator.close()

    def plan(self) -> SourcePlan:
        """Plan one epoch, and check the form of the plan."""
        self.now += TICK
        plan = self.enumerator.plan(self.scale, self.now)
        expect(
            len(plan.reads) == self.parallelism,
            f"plan() gave reads for {len(plan.reads)} subtasks at parallelism {self.parallelism}: give one tuple of "
            f"SplitReads per subtask, empty ones too",
        )
        splits = [read.split for reads in plan.reads for read in reads]
        owners = {(read.split, subtask) for subtask, reads in enumerate(plan.reads) for read in reads}
        expect(
            len(owners) == len(set(splits)),
            f"plan() gave one split to two subtasks in the same epoch: {splits}. Its watermark would be kept twice; "
            f"give each split to one subtask per epoch",
        )
        return plan

    def read(self, plan: SourcePlan) -> list[Any]:
        """Read what was planned, with a fresh copy of the source for each subtask."""
        records: list[Any] = []
        for reads in plan.reads:
            reader = self.reader()
            for read in reads:
                records.extend(read_split(reader, read))
        return records

    def epoch(self) -> Epoch:
        """Plan an epoch and read it."""
        plan = self.plan()
        state = self.snapshot()
        records = self.read(plan)
        expect(not (plan.empty and records), f"a plan with empty=True had {len(records)} records to read")
        return Epoch(plan, records, state)

    def run(self, wanted: int, after_each: Callable[[Epoch], None] = lambda _: None) -> list[Epoch]:
        """Run epochs until the input has ended or, if it has no end, until so many records were read."""
        epochs: list[Epoch] = []
        count = 0
        deadline = time.monotonic() + self.case.patience
        while len(epochs) < MOST_EPOCHS:
            epoch = self.epoch()
            count += len(epoch.records)
            after_each(epoch)
            if epoch.records or epoch.plan.ended:
                epochs.append(epoch)
            else:
                expect(
                    time.monotonic() < deadline,
                    f"the source gave {count} of {wanted} records and then, for {self.case.patience:g} s, nothing; "
                    f"{'it must end with ended=True' if self.bounded else 'more were there'}",
                )
                time.sleep(LOOK_EVERY)
            if epoch.plan.ended or (not self.bounded and count >= wanted):
                return epochs
        expect(condition=False, message=f"the source did not end in {MOST_EPOCHS} epochs")
        return epochs


def read_split(source: Source, read: SplitRead) -> list[Any]:
    """Read one split as a task does: the plan has travelled."""
    travelled: SplitRead = pickle.loads(pickle.dumps(read, protocol=5))
    records: list[Any] = []
    for batch in source.read(travelled):
        records.extend(batch.values)
    expect(
        read.start != read.end or not records,
        f"a read of split '{read.split}' whose start is its end ({read.start!r}) gave {len(records)} records",
    )
    return records
