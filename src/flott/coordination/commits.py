"""What sinks have sent to the driver: handed over at once, or when the checkpoint that holds it is complete."""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flott.connectors.base import SinkScope
from flott.coordination.checkpoints.metadata import Committable
from flott.errors import FlottError
from flott.runtime.crash_points import reach
from flott.runtime.operators.commit_requests import commit_all
from flott.runtime.operators.sinks import WriterSink
from flott.runtime.source import raise_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.coordination.job_record import JobRecord
    from flott.runtime.plan import ChainedOperator, EpochPlan, VertexSpec
    from flott.runtime.reports import TaskReport


@contextmanager
def naming(member: ChainedOperator) -> Iterator[None]:
    """Say of what goes wrong inside which operator it was."""
    try:
        yield
    except (ConnectionError, FlottError) as error:
        raise_named(member.title, error)


class Commits:
    """Brings to the sinks of a job what their writers prepared."""

    def __init__(self, plan: EpochPlan, *, wait: bool, durable: bool = True, record: JobRecord | None = None) -> None:
        self._job_id = plan.job_id
        self._owner = plan.owner
        self._durable = durable
        self._record = record
        self._members: dict[str, tuple[VertexSpec, ChainedOperator]] = {
            member.operator_id: (vertex, member) for vertex in plan.vertices for member in vertex.chain
        }
        self._wait = wait
        """Keep what needs a checkpoint until there is one."""
        self._synced: tuple[Committable, ...] = ()
        """What checkpoints so far made durable; only the thread that writes checkpoints uses it."""
        self._shown = 0
        """The last checkpoint whose records the driver has handed to whoever collects them."""

    def deliver(self, reports: list[TaskReport]) -> list[Committable]:
        """Hand over what an epoch's reports bring; return what has to wait for a checkpoint."""
        waiting = []
        for report in sorted(reports, key=lambda report: (report.vertex, report.subtask)):
            for operator_id, payload in report.payloads.items():
                vertex, member = self._members[operator_id]
                sink: Any = member.operator
                if self._wait and sink.at_checkpoint:
                    waiting.append(Committable(operator_id, report.subtask, pickle.dumps(payload, protocol=5)))
                else:
                    with naming(member):
                        sink.deliver(report.subtask, vertex.parallelism, payload)
        return waiting

    def commit(self, committables: Iterable[Committable], checkpoint_id: int, *, recovered: bool = False) -> None:
        """Commit what a checkpoint holds; again after a restart, since it can't be known how far it came before."""
        by_sink: dict[str, list[Any]] = {}
        for one in committables:
            vertex, member = self._members[one.operator_id]
            operator: Any = member.operator
            payload = pickle.loads(one.payload)
            if isinstance(operator, WriterSink):
                by_sink.setdefault(one.operator_id, []).extend(payload)
            elif checkpoint_id > self._shown:
                operator.deliver(one.subtask, vertex.parallelism, payload)
        self._shown = max(self._shown, checkpoint_id)
        for operator_id, together in by_sink.items():
            reach("commit.before")
            member = self._members[operator_id][1]
            writer: Any = member.operator
            with naming(member):
                commit_all(writer.sink, together, recovered=recovered)
                self._sync(writer, together, committed=True)
            reach("commit.after")

    def make_durable(self, committables: tuple[Committable, ...]) -> None:
        """See to it that what a checkpoint is about to name survives a power failure.

        What a checkpoint before this one made durable is left out: the job may be committing it at this moment.
        """
        synced = {id(one) for one in self._synced}
        by_sink: dict[str, list[Any]] = {}
        for one in committables:
            if id(one) not in synced and isinstance(self._members[one.operator_id][1].operator, WriterSink):
                by_sink.setdefault(one.operator_id, []).extend(pickle.loads(one.payload))
        for operator_id, together in by_sink.items():
            member = self._members[operator_id][1]
            writer: Any = member.operator
            with naming(member):
                self._sync(writer, together, committed=False)
        self._synced = committables

    def _sync(self, writer: WriterSink, committables: list[Any], *, committed: bool) -> None:
        sync = writer.capabilities.make_durable if self._durable else None
        if sync is not None:
            sync(committables, committed=committed)

    def abort_stale(self, kept: Iterable[Committable] = ()) -> None:
        """Let sinks undo what their writers left behind and nobody will commit."""
        if self._record is not None:
            self._record.check()
        alive: dict[str, list[Any]] = {}
        for one in kept:
            alive.setdefault(one.operator_id, []).extend(pickle.loads(one.payload))
        for operator_id, (_, member) in self._members.items():
            operator = member.operator
            if isinstance(operator, WriterSink):
                abort = operator.capabilities.abort_stale
                if abort is not None:
                    with naming(member):
                        abort(SinkScope(self._job_id, operator_id, self._owner), alive.get(operator_id, []))
