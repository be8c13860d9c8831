"""Run one operator in this process, step by step: for unit tests of functions, windows and operators.

No Spark, no driver, no wall clock: the harness hands the operator records, watermarks and the time of day, and
writes down what comes out. State and timers live in a real store, in a temporary directory, and survive
``snapshot`` and ``restore``, also into another parallelism.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle

from flott.runtime.batch import Batch
from flott.runtime.chain import OperatorChain
from flott.runtime.clock import ManualClock
from flott.runtime.context import OperatorContext
from flott.runtime.input import Input
from flott.runtime.keys import DEFAULT_MAX_PARALLELISM, groups_of_subtask
from flott.runtime.moment_queue import MomentQueue
from flott.runtime.operators.keyed_process import KeyedProcess
from flott.runtime.operators.process import Process
from flott.runtime.plan import ChainedOperator
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.carried import Carried
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import next_lineage, write_file
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.store import StateStore
from flott.runtime.storage import LocalStorage
from flott.runtime.timer_queue import TimerQueue
from flott.testing.recorder import Record, Recorder, SideRecorders, Watermark

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from typing_extensions import Self

    from flott.runtime.operator import Lifecycle, MultiInputOperator, Operator
    from flott.runtime.output_tag import OutputTag
    from flott.runtime.state.changes import Changes

OPERATOR_ID = "operator-under-test"
MAP_SIZE = 2**30


@dataclass(frozen=True, slots=True)
class HarnessSnapshot:
    """Everything a harness needs to go on where another one was: state, timers, watermarks."""

    entries: Changes = field(repr=False)
    carried: Carried
    parallelism: int
    now: int


class OneInputOperatorHarness:
    """Runs an operator with one input.

    >>> class Shout:
    ...     def open(self, runtime_context): ...
    ...     def close(self): ...
    ...     def process_element(self, value, ctx):
    ...         yield value.upper(), ctx.timestamp()
    >>> with OneInputOperatorHarness.for_process_function(Shout()) as harness:
    ...     harness.process_element("hello", 7)
    ...     harness.extract_output_values()
    [('HELLO', 7)]
    """

    keyed = False

    def __init__(
        self,
        operator: Operator,
        *,
        name: str = "operator under test",
        parallelism: int = 1,
        subtask: int = 0,
        max_parallelism: int = DEFAULT_MAX_PARALLELISM,
        parameters: dict[str, str] | None = None,
        auto_watermark_interval: int = 200,
        object_reuse: bool = False,
    ) -> None:
        self.clock = ManualClock()
        self.main = Recorder()
        self.sides = SideRecorders()
        self.parallelism = parallelism
        self.subtask = subtask
        self._name = name
        self._max_parallelism = max_parallelism
        self._parameters = parameters or {}
        self._interval = auto_watermark_interval
        self._object_reuse = object_reuse
        # As on its way into a worker: pickled before it is opened.
        self._pickled = cloudpickle.dumps(operator)
        self._tokens = count(1)
        self._folder = tempfile.TemporaryDirectory(prefix="flott-harness-")
        self._store = StateStore(Path(self._folder.name) / "store", map_size=MAP_SIZE)
        self._storage = LocalStorage(Path(self._folder.name) / "files")
        self._lineage = Lineage()
        self._carried = Carried()
        self._opened = False
        self._closed = False
        self._wire()

    @classmethod
    def for_process_function(cls, function: Any, **options: Any) -> OneInputOperatorHarness:
        """Make a harness for a ProcessFunction."""
        return OneInputOperatorHarness(Process(function), **options)

    def _wire(self) -> None:
        operator = cloudpickle.loads(self._pickled)
        member = ChainedOperator(operator, OPERATOR_ID, self._name, OPERATOR_ID)
        groups = groups_of_subtask(self.subtask, self.parallelism, self._max_parallelism)
        title = f"operator '{self._name}' (uid={OPERATOR_ID})"
        self.backend = KeyedBackend(OPERATOR_ID, title, groups, self._max_parallelism, CacheLimits())
        self.chain = OperatorChain((member,), self._context)
        self.chain.connect([(0, None, self.main)])
        self.chain.outputs[0].side_edges = self.sides  # type: ignore[assignment]

    def _context(self, member: ChainedOperator) -> OperatorContext:
        return OperatorContext(
            name=member.name,
            operator_id=member.operator_id,
            uid=member.uid,
            subtask=self.subtask,
            parallelism=self.parallelism,
            max_parallelism=self._max_parallelism,
            clock=self.clock,
            backend=self.backend if self.keyed else None,
            task_name=member.name,
            parameters=self._parameters,
            auto_watermark_interval=self._interval,
            object_reuse=self._object_reuse,
        )

    @property
    def operator(self) -> Any:
        """The operator at work."""
        return self.chain.head

    @property
    def lifecycle(self) -> Lifecycle:
        """What opens, restores and snapshots the operator."""
        return self.chain.lifecycles[0]

    # Life

    def open(self) -> Self:
        """Open the operator; done by the first step if not before."""
        if not self._opened:
            self._opened = True
            self.chain.open()
            self._begin_epoch()
        return self

    def _begin_epoch(self) -> None:
        self.backend.begin(self._store)
        self.chain.restore(self._carried)

    def end_epoch(self, *, new_worker: bool = False) -> None:
        """End an epoch and begin the next; with ``new_worker``, in another process that knows only what was kept."""
        self.open()
        self._keep()
        if new_worker:
            self.chain.close()
            self._wire()
            self.chain.open()
        self._begin_epoch()

    def _keep(self) -> None:
        self._carried = cloudpickle.loads(cloudpickle.dumps(self.chain.snapshot()))
        changes = EpochChanges()
        self.backend.flush(changes)
        self.backend.reached(self._write(changes))

    def _write(self, changes: EpochChanges) -> str:
        token = f"epoch-{next(self._tokens)}"
        delta = write_file(self._storage, f"state/delta-{token}", changes, token)
        self._lineage = next_lineage(self._lineage, delta, self._store, self._storage, "state")
        self._store.bring_to(self._lineage, self._storage, changes)
        return token

    def snapshot(self) -> HarnessSnapshot:
        """Take a snapshot; the harness goes on."""
        self.end_epoch()
        return HarnessSnapshot(dict(self._store.entries()), self._carried, self.parallelism, self.clock.now())

    def restore(self, *snapshots: HarnessSnapshot) -> Self:
        """Start from the snapshots of all former subtasks, before anything else is done.

        This subtask takes its own key groups out of them. With another parallelism than before, event time
        starts anew, as it does after a rescaling.
        """
        if self._opened:
            message = "restore a harness before its first step: state can't be put under an operator at work"
            raise RuntimeError(message)
        own = {group.to_bytes(2, "big") for group in self.backend.groups}
        entries: Changes = {
            key: value for snapshot in snapshots for key, value in snapshot.entries.items() if key[:2] in own
        }
        self._write(EpochChanges(entries))
        if len(snapshots) == self.parallelism and snapshots[self.subtask].parallelism == self.parallelism:
            self._carried = snapshots[self.subtask].carried
        self.clock.advance_to(max((snapshot.now for snapshot in snapshots), default=0))
        return self.open()

    def finish(self) -> None:
        """End the input for good."""
        self.open()
        self.chain.finish()

    def close(self) -> None:
        """Close the operator and remove its store."""
        if self._closed:
            return
        self._closed = True
        if self._opened:
            self.chain.close()
        self._store.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Input

    def input(self, index: int = 0) -> Input:
        """Return one input of the operator."""
        return Input(self.operator, index)

    def process_element(self, value: Any, timestamp: int | None = None) -> None:
        """Hand the operator one record."""
        self.process_batch([value], None if timestamp is None else [timestamp])

    def process_batch(self, values: list[Any], timestamps: list[int | None] | list[int] | None = None) -> None:
        """Hand the operator several records at once."""
        self.open()
        self.input().process(Batch(list(values), None if timestamps is None else list(timestamps)))

    def process_watermark(self, timestamp: int) -> None:
        """Tell the operator how far event time has come."""
        self.open()
        self.input().watermark(timestamp)

    def process_status(self, active: bool) -> None:
        """Tell the operator that its input became idle, or active again."""
        self.open()
        self.input().status(active)

    def set_processing_time(self, now: int) -> None:
        """Set the time of day, and let fire what is due."""
        self.open()
        self.clock.advance_to(now)
        self.chain.process_time(now)

    # Output

    def extract_output_values(self) -> list[Any]:
        """Return the values that came out of the main output so far."""
        return [record.value for record in self.main.records]

    def extract_output_records(self) -> list[Record]:
        """Return values and timestamps that came out of the main output so far."""
        return self.main.records

    def extract_side_output(self, tag: OutputTag | str) -> list[Any]:
        """Return the values that came out of a side output so far."""
        name = tag if isinstance(tag, str) else tag.tag_id
        return [record.value for recorder in dict.get(self.sides, name, []) for record in recorder.records]

    def extract_watermarks(self) -> list[int]:
        """Return the watermarks that came out so far."""
        return [event.timestamp for event in self.main.events if isinstance(event, Watermark)]

    def clear_output(self) -> None:
        """Forget what came out so far."""
        self.main.events.clear()
        for (recorder,) in self.sides.values():
            recorder.events.clear()

    # What is kept

    def num_event_time_timers(self) -> int:
        """Return how many event-time timers are registered."""
        return self._num_timers("event_")

    def num_processing_time_timers(self) -> int:
        """Return how many processing-time timers are registered."""
        return self._num_timers("processing_")

    def _num_timers(self, kind: str) -> int:
        return sum(
            len(part.all())
            for name, part in self.backend.parts().items()
            if isinstance(part, TimerQueue | MomentQueue) and name.startswith(f"_timer_state/{kind}")
        )

    def num_state_entries(self) -> int:
        """Return how many entries the store holds, timers included; ends the epoch to see all of them."""
        self.end_epoch()
        return sum(1 for _ in self._store.entries())


class KeyedOneInputOperatorHarness(OneInputOperatorHarness):
    """Runs an operator on a keyed stream: with keyed state and timers.

    >>> class Alarm:
    ...     def open(self, runtime_context): ...
    ...     def close(self): ...
    ...     def process_element(self, value, ctx):
    ...         ctx.timer_service().register_event_time_timer(ctx.timestamp() + 10)
    ...
    ...     def on_timer(self, timestamp, ctx):
    ...         yield ctx.get_current_key(), timestamp
    >>> with KeyedOneInputOperatorHarness.for_keyed_process_function(Alarm(), str.lower) as harness:
    ...     harness.process_element("A", 5)
    ...     harness.process_watermark(20)
    ...     harness.extract_output_values()
    [('a', 15)]
    """

    keyed = True

    @classmethod
    def for_keyed_process_function(
        cls, function: Any, key_selector: Callable[[Any], Any], **options: Any
    ) -> KeyedOneInputOperatorHarness:
        """Make a harness for a KeyedProcessFunction."""
        return KeyedOneInputOperatorHarness(KeyedProcess(function, key_selector), **options)


class TwoInputOperatorHarness(OneInputOperatorHarness):
    """Runs an operator with two inputs. What has no number goes to the first."""

    keyed = False

    def __init__(self, operator: MultiInputOperator, *, keyed: bool = False, **options: Any) -> None:
        self.keyed = keyed
        super().__init__(operator, **options)

    process_element1 = OneInputOperatorHarness.process_element
    process_watermark1 = OneInputOperatorHarness.process_watermark
    process_status1 = OneInputOperatorHarness.process_status

    def process_element2(self, value: Any, timestamp: int | None = None) -> None:
        """Hand the operator one record of the second input."""
        self.open()
        self.input(1).process(Batch([value], None if timestamp is None else [timestamp]))

    def process_watermark2(self, timestamp: int) -> None:
        """Tell the operator how far event time of the second input has come."""
        self.open()
        self.input(1).watermark(timestamp)

    def process_status2(self, active: bool) -> None:
        """Tell the operator that its second input became idle, or active again."""
        self.open()
        self.input(1).status(active)
