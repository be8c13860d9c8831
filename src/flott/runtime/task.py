"""One subtask, kept in a worker: an epoch's blocks come in, blocks and a report go out."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from flott.errors import ExchangeError, FlottError, StateStoreError, UserFunctionError
from flott.runtime.chain import OperatorChain
from flott.runtime.context import OperatorContext
from flott.runtime.crash_points import reach
from flott.runtime.edge_output import EdgeOutput
from flott.runtime.input_gate import InputGate
from flott.runtime.keys import groups_of_subtask
from flott.runtime.operators.source import SourceOperator
from flott.runtime.reports import Failure, TaskReport
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.carried import Carried
from flott.runtime.state.changes import EpochChanges
from flott.runtime.state.compaction import (
    after_changes,
    next_lineage,
    own_lineage,
    write_aside,
    write_file,
    write_savepoint,
)
from flott.runtime.state.lineage import Lineage
from flott.runtime.state.operator_state import CarriedStates
from flott.runtime.state.policy import StatePolicy
from flott.runtime.state.store import StateStore
from flott.runtime.state.ttl_sweep import without_expired
from flott.runtime.task_activity import TaskActivity, Working, at_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from flott.runtime.blocks import BlockRow
    from flott.runtime.clock import Clock
    from flott.runtime.plan import ChainedOperator, EpochPlan, VertexSpec
    from flott.runtime.reports import EpochOrder, Place, TaskOrder
    from flott.runtime.storage import Storage

log = logging.getLogger("flott.task")

T = TypeVar("T")
DONE = object()

INFRASTRUCTURE = (ExchangeError, StateStoreError)
"""Errors of ours that are no fault of the user's code: raised, so that Spark tries the task again."""


@dataclass(slots=True)
class TaskServices:
    """What a subtask needs from the machine it runs on, handed in."""

    clock: Clock
    storage: Storage
    state_dir: Path
    """Local directory for working stores."""
    stopwatch: Callable[[], float]
    state: StatePolicy = StatePolicy()  # noqa: RUF009 - it never changes
    printed: list[str] = field(default_factory=list)
    """What functions printed since the last report, if anybody gathers that."""
    stores: dict[Path, StateStore] = field(default_factory=dict)
    """The stores this process has open; LMDB allows each only once per process."""

    def store(self, *path: str) -> StateStore:
        """Open a working store, or return it if this process has it open."""
        place = self.state_dir.joinpath(*path)
        store = self.stores.get(place)
        if store is None:
            store = self.stores[place] = StateStore(place, self.state.store_size)
        return store


class Subtask:
    """One subtask of one vertex, with its operators open. Any error makes it unusable: drop it and make another."""

    def __init__(
        self, plan: EpochPlan, vertex: VertexSpec, index: int, services: TaskServices, attempt: int = 0
    ) -> None:
        self.plan = plan
        self.vertex = vertex
        self.index = index
        self.services = services
        self.backends: list[KeyedBackend] = []
        self.attempt = attempt
        self.place: Place | None = None
        """Where the attempt runs, if whoever runs it says so."""
        self.keyed_inputs = any(edge.partitioner.name == "HASH" for edge in plan.inputs_of(vertex))
        self.chain = OperatorChain(vertex.chain, self._context)
        self.opened = False
        self.recent: EpochChanges | None = None
        """This process's changes of the last epoch, which the store gets once they count."""
        self.recent_token = ""
        self.working: Working | None = None
        """The epoch that it works on; read by other threads."""

    def activity(self) -> TaskActivity | None:
        """Return what the subtask does now, for other threads; None between two epochs."""
        working, head = self.working, self.chain.head
        if working is None:
            return None
        records = head.records if isinstance(head, SourceOperator) else working.gate.records
        operator, line = at_work(working.frame(), Subtask.run.__code__)
        return TaskActivity(self.vertex.index, self.index, working.epoch, records, operator, line)

    def _context(self, member: ChainedOperator) -> OperatorContext:
        vertex = self.vertex
        backend = None
        if self.keyed_inputs and member.parent < 0:
            groups = groups_of_subtask(self.index, vertex.parallelism, vertex.max_parallelism)
            backend = KeyedBackend(
                member.operator_id, member.title, groups, vertex.max_parallelism, self.services.state.cache
            )
            self.backends.append(backend)
        return OperatorContext(
            name=member.name,
            operator_id=member.operator_id,
            uid=member.uid,
            subtask=self.index,
            parallelism=vertex.parallelism,
            max_parallelism=vertex.max_parallelism,
            clock=self.services.clock,
            backend=backend,
            task_name=vertex.name,
            attempt=self.attempt,
            parameters=self.plan.parameters,
            auto_watermark_interval=self.plan.auto_watermark_interval,
            object_reuse=self.plan.object_reuse,
            job_id=self.plan.job_id,
            owner=self.plan.owner,
            apart=self.plan.apart,
        )

    def run(self, epoch: EpochOrder, token: str, rows: Iterable[BlockRow]) -> Iterator[BlockRow | TaskReport]:
        """Work on one epoch: yields blocks as they close, and the report at the end."""
        order = epoch.task(self.vertex.index, self.index)
        report = TaskReport(self.vertex.index, self.index, token, self.attempt, lineage=order.lineage, place=self.place)
        stopwatch = self.services.stopwatch
        started = stopwatch()
        gate = InputGate(self.plan, self.vertex, self.index)
        for row in rows:
            report.bytes_in += len(row.data)
            gate.add(row)
        barriers = gate.complete(epoch.epoch)
        report.consumed = {channel: barrier.token for channel, barrier in barriers.items()}
        failed = any(barrier.failed for barrier in barriers.values())
        received = stopwatch()
        self.working = Working.here(epoch.epoch, gate)

        out: list[BlockRow] = []
        edges = [
            (
                edge,
                EdgeOutput(self.plan, edge, self.index, epoch.epoch, out, self.chain.operators[edge.source_position]),
            )
            for edge in self.plan.outputs_of(self.vertex)
        ]
        self.chain.connect([(edge.source_position, edge.tag, output) for edge, output in edges])
        if not failed:
            ended = order.ended if not barriers else all(barrier.ended for barrier in barriers.values())
            try:
                work = self._work(epoch, order, gate, report, ended=ended)
                while self._call(next, work, DONE) is not DONE:
                    report.bytes_out += sum(len(row.data) for row in out)
                    yield from out
                    out.clear()
                report.seconds["compute"] = stopwatch() - received
                self._call(self._keep, epoch, gate, report, token)
            except INFRASTRUCTURE:
                raise
            except FlottError as error:
                failed = True
                kind = (
                    type(error).__name__
                    if not isinstance(error, UserFunctionError)
                    else error.trace.rsplit("\n", 2)[-2]
                )
                report.failure = Failure(str(error), kind)
        for _, output in edges:
            output.close(epoch.epoch, token, ended=report.ended, failed=failed)
        report.bytes_out += sum(len(row.data) for row in out)
        yield from out
        report.seconds["read"] = received - started
        report.seconds["total"] = stopwatch() - started
        report.finished = self.services.clock.now()
        report.printed = tuple(self.services.printed)
        self.services.printed.clear()
        reach("report.before")
        self.working = None
        yield report

    def _call(self, step: Callable[..., T], *arguments: Any) -> T:
        """Do a step of the epoch; no function of the user's may end this process, wherever we call it."""
        try:
            return step(*arguments)
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            raise self.chain.head.failure(error, f"none: something in the chain '{self.vertex.name}'") from None

    def _work(
        self, epoch: EpochOrder, order: TaskOrder, gate: InputGate, report: TaskReport, *, ended: bool
    ) -> Iterator[None]:
        for member in self.vertex.chain:
            member.operator.context.snapshot = epoch.snapshot
        if not self.opened:
            self.chain.open()
            self.opened = True
        carried = Carried.unpack(order.carried)
        for member in self.vertex.chain:
            member.operator.context.metrics.registry.restore(carried.metrics.get(member.operator_id, {}))
        if self.backends:
            store = self.services.store(self.vertex.id, str(self.index))
            begun = self.services.stopwatch()
            recent = self.recent if order.lineage.token == self.recent_token else None
            looked_up = {column for backend in self.backends for column in backend.looked_up()}
            report.store_path = store.bring_to(order.lineage, self.services.storage, recent, looked_up)
            self.recent = None
            report.lineage = self._owned(report, store)
            report.seconds["state"] = self.services.stopwatch() - begun
            for backend in self.backends:
                backend.begin(store)
                backend.adopt(carried.schemas or {})
        gate.restore(carried.gate)
        self.chain.restore(carried)
        for notice in epoch.notices:
            self.chain.notify(notice)
        clock = self.services.clock
        now = clock.now()
        head = self.chain.head
        if isinstance(head, SourceOperator):
            head.hold(order.reads, everything=order.held)
        self.chain.process_time(now)
        for _ in head.run(order.reads, ended=order.ended) if isinstance(head, SourceOperator) else gate.deliver(head):
            later = clock.now()
            if later > now:
                now = later
                self.chain.process_time(now)
            yield
        report.ended = ended
        if ended and not carried.ended:
            self.chain.finish()
        yield

    @property
    def folder(self) -> str:
        """Where the state files of this subtask are, in the job's storage."""
        return f"shared/{self.vertex.id}/{self.index}/{self.plan.owner}"

    def _owned(self, report: TaskReport, store: StateStore) -> Lineage:
        """Return the lineage the epoch starts from in files of the job's own: those of a savepoint are not."""
        try:
            return own_lineage(report.lineage, store, self.services.storage, self.folder)
        except OSError as error:
            report.declined = f"state of '{self.vertex.name}' subtask {self.index} could not be written: {error}"
            return report.lineage

    def _keep(self, epoch: EpochOrder, gate: InputGate, report: TaskReport, token: str) -> None:
        """End the epoch: bring state to its new version, on disk here and as a file in storage."""
        begun = self.services.stopwatch()
        chain = self.chain
        carried = chain.snapshot()
        carried.gate, carried.ended = gate.snapshot(), report.ended
        for backend in self.backends:
            carried.schemas = backend.schemas.current()
        groups = [(member.operator_id, member.operator.context.metrics) for member in self.vertex.chain]
        carried.metrics = {operator: kept for operator, group in groups if (kept := group.registry.snapshot())}
        report.carried = carried.pack()
        states = carried.operators.values()
        report.shares = any(isinstance(one, CarriedStates) and one.unions is not None for one in states)
        report.seconds["sync"] = self.services.stopwatch() - begun
        for member in self.vertex.chain:
            take = getattr(member.operator, "take", None)
            payload = take() if take is not None else None
            if payload is not None:
                report.payloads[member.operator_id] = payload
            wakeup = member.operator.next_wakeup()
            if wakeup is not None:
                report.next_wakeup = wakeup if report.next_wakeup is None else min(wakeup, report.next_wakeup)
            for name, count in member.operator.context.metrics.counts().items():
                report.counts[f"{member.name}.{name}"] = count
        report.metrics = {operator: told for operator, group in groups if (told := group.registry.measured())}
        self._keep_keyed(epoch, report, token)
        last = chain.outputs[-1]
        report.watermark, report.active = last.watermark, last.active
        report.input_watermark = min((valve.watermark for valve in gate.valves.values()), default=None)
        report.source_watermark, report.source_active = chain.outputs[0].watermark, chain.outputs[0].active
        report.records_in = gate.records
        if isinstance(chain.head, SourceOperator):
            report.records_in, report.split_watermarks = chain.head.records, chain.head.split_watermarks()
        report.records_out = sum(output.emitted for output in chain.outputs if output.edges or output.side_edges)
        report.emitted = tuple(output.emitted for output in chain.outputs)
        report.seconds["state"] = report.seconds.get("state", 0.0) + self.services.stopwatch() - begun

    def _keep_keyed(self, epoch: EpochOrder, report: TaskReport, token: str) -> None:
        begun = self.services.stopwatch()
        changes = EpochChanges()
        for backend in self.backends:
            backend.flush(changes)
            report.columns.update(backend.state_columns())
        reached = report.lineage.token
        if not changes.is_empty():
            reached = token
            report.lineage = self._grown(epoch, report, changes, token)
            self.recent, self.recent_token = changes, token
        for backend in self.backends:
            backend.reached(reached)
        if epoch.savepoint is not None and self.backends:
            store = self.services.store(self.vertex.id, str(self.index))
            entries = without_expired(self.backends, after_changes(store, changes), self.services.clock.now())
            columns = {**epoch.savepoint.columns, **report.columns}
            name = f"{self.vertex.id}/state-{self.index}"
            try:
                report.savepoint = write_savepoint(epoch.savepoint.root, name, entries, columns, token)
            except INFRASTRUCTURE:
                raise
            except Exception as error:  # noqa: BLE001 - whatever its file system raises: the savepoint fails, not the job
                report.declined = f"state of '{self.vertex.name}' subtask {self.index} could not be written: {error}"
        report.seconds["async"] = self.services.stopwatch() - begun

    def _grown(self, epoch: EpochOrder, report: TaskReport, changes: EpochChanges, token: str) -> Lineage:
        """Write the epoch's changes; return the lineage that leads to them.

        When the job's storage takes no file, they are kept on this machine until it does again: the job goes on, but
        no checkpoint can be taken meanwhile.
        """
        name = f"{self.folder}/delta-{epoch.epoch}-{token}"
        reach("delta.before")
        try:
            delta = write_file(self.services.storage, name, changes, token)
            store = self.services.store(self.vertex.id, str(self.index))
            lineage = next_lineage(report.lineage, delta, store, self.services.storage, self.folder)
        except OSError as error:
            report.declined = f"state of '{self.vertex.name}' subtask {self.index} could not be written: {error}"
            delta = write_aside(self.services.state_dir / "aside", name, changes, token)
            lineage = Lineage((*report.lineage.files, delta))
        reach("delta.after")
        report.state_bytes, report.changed_bytes = delta.size, delta.in_memory
        return lineage

    def close(self) -> None:
        """Close the operators; what they raise is raised after all were closed."""
        if self.opened:
            self.opened = False
            self.chain.close()

    def drop(self) -> None:
        """Close the operators in the middle of a job: it goes on without them, whatever the user's ``close()`` does."""
        try:
            self.close()
        except BaseException as error:  # noqa: BLE001 - the operators are gone either way
            log.warning("'%s' subtask %d: close() failed (%s: %s)",
                        self.vertex.name, self.index, type(error).__name__, error)  # fmt: skip
