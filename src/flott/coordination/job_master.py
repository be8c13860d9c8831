"""The driver's loop: plan an epoch, run it, make it count; until the input ends, the job fails or somebody stops it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from flott.common import CompletableFuture, JobExecutionResult, JobStatus
from flott.coordination.alignment import SourceAlignment, pause
from flott.coordination.ledger import Ledger
from flott.coordination.sizing import EpochSizer
from flott.errors import EpochFailedError, JobCanceledError, JobExecutionError
from flott.runtime.clock import ManualClock
from flott.runtime.reports import EpochOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common import JobID
    from flott.coordination.runner import EpochRunner
    from flott.runtime.clock import Clock
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport
    from flott.runtime.source import Enumerator, SourcePlan

log = logging.getLogger("flott.job")

EPOCHS_REMEMBERED = 100


@dataclass(frozen=True, slots=True)
class JobSettings:
    """How the loop runs."""

    buffer_timeout: int = 100
    """Latency target in milliseconds: how often to look when the input is slow."""
    epoch_target: float = 1.0
    """Seconds that an epoch should take when there is a backlog."""
    epoch_attempts: int = 3


@dataclass(frozen=True, slots=True)
class EpochStats:
    """What one epoch did."""

    epoch: int
    started: int
    seconds: float
    records_in: int
    records_out: int
    state_bytes: int
    watermarks: dict[int, int | None]
    """Per vertex: the least watermark of its subtasks."""
    reports: list[TaskReport]


class JobMaster:
    """Runs one job in a thread of its own."""

    def __init__(
        self,
        job_id: JobID,
        plan: EpochPlan,
        enumerators: dict[int, Enumerator],
        runner: EpochRunner,
        clock: Clock,
        settings: JobSettings,
    ) -> None:
        self.job_id = job_id
        self.plan = plan
        self.status = JobStatus.CREATED
        self.started: int | None = None
        """When the job began to run, by its clock."""
        self.result: CompletableFuture[JobExecutionResult] = CompletableFuture()
        self.history: deque[EpochStats] = deque(maxlen=EPOCHS_REMEMBERED)
        self.listeners: list[Callable[[EpochStats], None]] = []
        self.counts: dict[str, int] = {}
        self._enumerators = enumerators
        self._runner = runner
        self._clock = clock
        self._settings = settings
        self._sizer = EpochSizer(settings.epoch_target)
        self._ledger = Ledger(plan)
        self._alignment = SourceAlignment.of(plan)
        self._plans: dict[int, SourcePlan] = {}
        """What each source read last."""
        self._epoch = 0
        self._run = uuid4().hex
        self._wakeup: int | None = None
        self._ended: set[int] = set()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._live, name=f"flott-job-{plan.job_name}", daemon=True)

    # Life

    def start(self) -> None:
        """Start the job."""
        self._thread.start()

    def cancel(self) -> None:
        """Stop the job; what the running epoch did so far does not count."""
        if not self.status.is_terminal_state():
            self.status = JobStatus.CANCELLING
        self._stopping.set()
        self._runner.cancel()

    def _live(self) -> None:
        started = time.monotonic()
        error: BaseException | None = None
        try:
            self.status = JobStatus.RUNNING
            self.started = self._clock.now()
            log.info("job '%s' (%s) runs", self.plan.job_name, self.job_id)
            while not self._stopping.is_set() and not self._step():
                pass
        except BaseException as failure:  # noqa: BLE001 - handed to whoever waits for the job
            error = failure
        finally:
            for enumerator in self._enumerators.values():
                enumerator.close()
            self._runner.close()
        elapsed = int((time.monotonic() - started) * 1000)
        if self._stopping.is_set():
            self._end(JobStatus.CANCELED, JobCanceledError(f"job '{self.plan.job_name}' was cancelled"))
        elif error is not None:
            self._end(JobStatus.FAILED, error)
        else:
            self.status = JobStatus.FINISHED
            log.info("job '%s' finished after %d epochs, %.1f s", self.plan.job_name, self._epoch, elapsed / 1000)
            self.result.complete(JobExecutionResult(self.job_id, elapsed, dict(self.counts)))

    def _end(self, status: JobStatus, error: BaseException) -> None:
        self.status = status
        log.info("job '%s' %s after %d epochs", self.plan.job_name, status.name.lower(), self._epoch)
        self.result.complete_exceptionally(error)

    # One epoch

    def _step(self) -> bool:
        """Run one epoch, or wait when there is nothing to do; True when the job is over."""
        now = self._clock.now()
        sources = self._plan_sources(now)
        newly_ended = {vertex for vertex, plan in sources.items() if plan.ended} - self._ended
        due = self._wakeup is not None and self._wakeup <= now
        if not newly_ended and not due and all(plan.empty for plan in sources.values()):
            self._stopping.wait(self._pause(sources, now))
            return False
        begun = time.monotonic()
        reports = self._attempt(sources)
        if reports is None:
            return True
        seconds = time.monotonic() - begun
        self._ended |= newly_ended
        self._commit(reports, now, seconds)
        backlog = any(plan.backlog for plan in sources.values())
        self._sizer.observe(self._slowest(reports, "total"), backlog=backlog, state=self._slowest(reports, "state"))
        if len(self._ended) == len(self._enumerators):
            return True
        if not backlog:
            self._stopping.wait(max(0.0, self._settings.buffer_timeout / 1000 - seconds))
        return False

    def _plan_sources(self, now: int) -> dict[int, SourcePlan]:
        ahead = self._alignment.ahead()
        for vertex, source in self._enumerators.items():
            paused = vertex in ahead
            self._plans[vertex] = pause(self._plans[vertex]) if paused else source.plan(self._sizer.scale, now)
        return dict(self._plans)

    def _slowest(self, reports: list[TaskReport], what: str) -> float:
        """Return the seconds of some work on the longest way through an epoch: the slowest subtask of each level."""
        slowest = [0.0] * len(self.plan.levels)
        for report in reports:
            level = self.plan.vertices[report.vertex].level
            slowest[level] = max(slowest[level], report.seconds.get(what, 0.0))
        return sum(slowest)

    def _pause(self, sources: dict[int, SourcePlan], now: int) -> float:
        moments = [plan.look_again for plan in sources.values() if plan.look_again is not None]
        if self._wakeup is not None:
            moments.append(self._wakeup)
        tick = self._settings.buffer_timeout
        wait = min([*(moment - now for moment in moments), tick]) if moments else tick
        return max(wait, 1) / 1000

    def _attempt(self, sources: dict[int, SourcePlan]) -> list[TaskReport] | None:
        """Run the next epoch, again if it can't be completed; None when the job is being stopped."""
        attempts = self._settings.epoch_attempts
        for attempt in range(1, attempts + 1):
            set_time = self._clock.now() if isinstance(self._clock, ManualClock) else None
            order = EpochOrder(self._epoch + 1, str(self.job_id), self._run, self._ledger.orders(sources), set_time)
            try:
                reports = self._runner.run(order)
                self._raise_failures(reports)
                self._ledger.check(reports)
            except EpochFailedError as error:
                if self._stopping.is_set():
                    return None
                # Operators that took part in a failed epoch may hold half of it.
                self._run = uuid4().hex
                if attempt == attempts:
                    message = f"epoch {order.epoch} failed {attempts} times, last: {error}"
                    raise JobExecutionError(message) from error
                log.warning(
                    "epoch %d could not be completed (%s); it runs again from version %d, nothing of it counted",
                    order.epoch,
                    error,
                    self._epoch,
                )
            else:
                self._log_retries(order.epoch, reports)
                return reports
        return None

    def _raise_failures(self, reports: list[TaskReport]) -> None:
        failures = [report for report in reports if report.failure is not None]
        if failures:
            first = min(failures, key=lambda report: (self.plan.vertices[report.vertex].level, report.subtask))
            message = f"job '{self.plan.job_name}': {first.failure.message}"  # type: ignore[union-attr]
            raise JobExecutionError(message)

    def _log_retries(self, epoch: int, reports: list[TaskReport]) -> None:
        again = [report for report in reports if report.attempt > 0]
        if again:
            names = ", ".join(
                f"'{self.plan.vertices[report.vertex].name}' subtask {report.subtask}" for report in again
            )
            log.warning("epoch %d: Spark lost a worker and ran %s again; the result is exact", epoch, names)

    def _commit(self, reports: list[TaskReport], now: int, seconds: float) -> None:
        self._ledger.accept(reports)
        self._alignment.observe(reports)
        self._epoch += 1
        wakeups = [report.next_wakeup for report in reports if report.next_wakeup is not None]
        self._wakeup = min(wakeups, default=None)
        obsolete = [name for report in reports for name in report.obsolete]
        if obsolete:
            self._runner.discard(obsolete)
        self._deliver(reports)
        for report in reports:
            for name, count in report.counts.items():
                self.counts[name] = self.counts.get(name, 0) + count
        stats = self._stats(reports, now, seconds)
        self.history.append(stats)
        log.debug("epoch %d: %d records in %.0f ms", stats.epoch, stats.records_in, seconds * 1000)
        for listener in self.listeners:
            listener(stats)

    def _deliver(self, reports: list[TaskReport]) -> None:
        for report in sorted(reports, key=lambda report: (report.vertex, report.subtask)):
            vertex = self.plan.vertices[report.vertex]
            for member in vertex.chain:
                if member.operator_id in report.payloads:
                    sink: Any = member.operator
                    sink.deliver(report.subtask, vertex.parallelism, report.payloads[member.operator_id])

    def _stats(self, reports: list[TaskReport], now: int, seconds: float) -> EpochStats:
        watermarks: dict[int, int | None] = {}
        for report in reports:
            if report.watermark is not None:
                known = watermarks.get(report.vertex)
                watermarks[report.vertex] = report.watermark if known is None else min(known, report.watermark)
        sources = [report for report in reports if report.vertex in self._enumerators]
        return EpochStats(
            epoch=self._epoch,
            started=now,
            seconds=seconds,
            records_in=sum(report.records_in for report in sources),
            records_out=sum(report.records_out for report in reports),
            state_bytes=sum(report.state_bytes for report in reports),
            watermarks=watermarks,
            reports=reports,
        )
