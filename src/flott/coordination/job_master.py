"""The driver's loop: plan an epoch, run it, make it count; until the input ends, the job fails or somebody stops it."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from flott.common import CompletableFuture, JobExecutionResult, JobStatus
from flott.coordination.cancellation import Cancellation
from flott.coordination.checkpoints.damage import refuse_restart
from flott.coordination.checkpoints.hooks import MasterHooks
from flott.coordination.checkpoints.statistics import RestoreStats
from flott.coordination.commits import Commits
from flott.coordination.epoch_attempts import EpochAttempts
from flott.coordination.epoch_stats import EpochStats, EpochTimes, slowest
from flott.coordination.job_checkpoints import JobCheckpoints, somebody_listens
from flott.coordination.job_end import JobEnd, Steps, as_exception, give_back
from flott.coordination.job_values import job_values
from flott.coordination.progress import JobProgress
from flott.coordination.sizing import EpochSizer
from flott.coordination.source_planner import SourcePlanner, pause_before
from flott.coordination.start_state import beginning_of
from flott.coordination.version import JobVersion
from flott.errors import USER_CODE_RAISES, CheckpointError, JobCanceledError, RunnerLostError
from flott.metrics.job_metrics import JobMetrics
from flott.runtime.clock import ManualClock
from flott.runtime.crash_points import reach
from flott.runtime.reports import EpochOrder, SavepointOrder

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common import JobID
    from flott.coordination.checkpoints.coordinator import (
        CheckpointCoordinator,
        CompletedCheckpoint,
        PendingCheckpoint,
    )
    from flott.coordination.checkpoints.metadata import JobState
    from flott.coordination.checkpoints.requests import SavepointRequest
    from flott.coordination.job_record import JobRecord
    from flott.coordination.job_settings import JobSettings
    from flott.coordination.restart import Backoff
    from flott.coordination.runner import EpochRunner
    from flott.coordination.start_state import StartingPoint
    from flott.runtime.clock import JobClock, Stopwatch
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import TaskReport
    from flott.runtime.source import Enumerator, SourcePlan

log = logging.getLogger("flott.job")


class JobMaster:
    """Runs one job in a thread of its own."""

    def __init__(
        self,
        job_id: JobID,
        plan: EpochPlan,
        make_enumerators: Callable[[], dict[int, Enumerator]],
        runner: EpochRunner,
        clock: JobClock,
        settings: JobSettings,
        coordinator: CheckpointCoordinator,
        backoff: Backoff,
        start: StartingPoint | None = None,
        record: JobRecord | None = None,
        *,
        stopwatch: Stopwatch,
        over: bool = False,
    ) -> None:
        self.job_id = job_id
        self.plan = plan
        self.settings = settings
        self.progress = JobProgress(plan, clock, runner.activities)
        self.result: CompletableFuture[JobExecutionResult] = CompletableFuture()
        self.history = self.progress.history
        self.listeners = self.progress.listeners
        self.failures = self.progress.failures
        self.checkpoints = coordinator
        values = partial(job_values, self.progress, coordinator.statistics)
        self.metrics = JobMetrics(plan, lambda: values(clock.now()), settings.latency_interval, stopwatch)
        self.listeners.append(self.metrics.observe)
        self._make_enumerators = make_enumerators
        self._runner = runner
        self._clock = clock
        self._stopwatch = stopwatch
        self._sizer = EpochSizer(settings.epoch_target)
        self._backoff = backoff
        self._start = start
        self._over = over  # under a driver before this one: only the clean-up is left
        self.record = record
        self._version = JobVersion(plan, make_enumerators())
        wait = coordinator.settings.enabled and coordinator.settings.exactly_once
        self._commits = Commits(plan, wait=wait, durable=coordinator.settings.durable, record=record)
        self._hooks = MasterHooks.of(plan)
        self._planner = SourcePlanner(plan, broadcast_first=settings.broadcast_first)
        self._cancelled = threading.Event()
        note = self.progress.note
        self._epochs = EpochAttempts(plan, runner, settings.epoch_attempts, self._cancelled.is_set, note)
        self._checkpointing = JobCheckpoints(plan, coordinator, self._commits, self._hooks, clock)
        self._end = JobEnd(plan, coordinator, self._hooks, self._commits, self.metrics, runner, record)
        self._closing = Steps(plan.job_name)
        self._ended = threading.Event()
        self._cancellation = Cancellation(
            plan.job_name, settings.cancellation, runner, self._ended, self._give_up, stopwatch
        )
        self._backlog = False
        self._wake = threading.Event()
        if record is not None:
            record.when_fenced += [self._wake.set, lambda: self._cancellation.begin(self._thread)]
        self._stopped_with: CompletedCheckpoint | None = None
        self._thread = threading.Thread(target=self._live, name=f"flott-job-{plan.job_name}", daemon=True)

    @property
    def status(self) -> JobStatus:
        """Where the job stands."""
        return self.progress.status

    @property
    def started(self) -> int | None:
        """When the job began to run, by its clock."""
        return self.progress.started

    @property
    def stopped_with(self) -> str | None:
        """The savepoint that the job ended with."""
        return None if self._stopped_with is None else self._stopped_with.path

    @property
    def counts(self) -> dict[str, int]:
        """What the job's counters hold."""
        return self._version.counts

    def start(self) -> None:
        """Start the job."""
        self._thread.start()

    def give_back(self) -> None:
        """Leave a job that was not started as it was found."""
        give_back(self.record, self._runner)

    def cancel(self) -> None:
        """Stop the job; what the running epoch did so far does not count."""
        if not self.status.is_terminal_state():
            self.progress.enter(JobStatus.CANCELLING)
        self._cancelled.set()
        self._wake.set()
        self._cancellation.begin(self._thread)

    def ask_for_savepoint(self, request: SavepointRequest) -> CompletableFuture[str]:
        """Take a savepoint with the next epoch; the answer is where it is."""
        if self.status.is_terminal_state():
            message = f"job '{self.plan.job_name}' is {self.status.name}: there is nothing to take a savepoint of"
            request.promise.complete_exceptionally(CheckpointError(message))
        elif not self.checkpoints.requests.ask(request):
            request.promise.complete_exceptionally(CheckpointError("too many savepoints are waiting already"))
        self._wake.set()
        return request.promise

    def _live(self) -> None:
        started = self._stopwatch()
        error: BaseException | None = None
        try:
            if not self._over:
                log.info("job '%s' (%s) runs", self.plan.job_name, self.job_id)
                self._loop()
        except BaseException as failure:  # noqa: BLE001 - handed to whoever waits for the job
            error = failure
        elapsed = int((self._stopwatch() - started) * 1000)
        status = JobStatus.FINISHED if error is None else JobStatus.FAILED
        if self._cancelled.is_set() and self._stopped_with is None:
            status = JobStatus.CANCELED
            error = JobCanceledError(f"job '{self.plan.job_name}' was cancelled")
        self._ended.set()
        self._closing.resumable = isinstance(error, RunnerLostError)
        late: BaseException | None = self._closing.run("cleaning up", lambda: self._clean_up(status))
        if late is not None:
            status, error = JobStatus.FAILED, late
        self._closing.attach_to(error)
        self.progress.enter(status)
        log.info("job '%s' %s after %d epochs, %.1f s",
                 self.plan.job_name, status.name.lower(), self._version.epoch, elapsed / 1000)  # fmt: skip
        if error is None:
            self.result.complete(JobExecutionResult(self.job_id, elapsed, dict(self.counts)))
        else:
            self.result.complete_exceptionally(as_exception(error, self.plan.job_name))
        if self._stopped_with is not None and self._stopped_with.request is not None:
            self._stopped_with.request.promise.complete(self._stopped_with.path)

    def _give_up(self) -> None:
        """Complete the handle of a job that was cancelled and whose thread does not end."""
        self.progress.enter(JobStatus.CANCELED)
        self.result.complete_exceptionally(JobCanceledError(f"job '{self.plan.job_name}' was cancelled"))

    def _loop(self) -> None:
        over = restored = False
        while not over and not self._cancelled.is_set():
            try:
                if not restored:
                    self._restore()
                    restored = True
                    self.progress.starts()
                over = self._step()
                self.progress.works(beyond=self._checkpointing.is_beyond_failure(self._version))
            except RunnerLostError:
                raise
            except USER_CODE_RAISES as error:  # whatever it is, the restart strategy decides
                if self._cancelled.is_set():
                    return
                restored = False
                over = self._ended_before_failure()
                if not over:
                    self._fail_or_wait(error)

    def _clean_up(self, status: JobStatus) -> BaseException | None:
        """End the job, step by step; return what fails it after all."""
        return self._end.run(status, self._version, self._closing)

    # Failure

    def _ended_before_failure(self) -> bool:
        """See to checkpoints that were complete when the job failed: they count. True if the job ends with one."""
        try:
            return self._look_after_checkpoints()
        except USER_CODE_RAISES as error:  # the job has failed anyway; the restart tries this again
            log.warning("a checkpoint was complete, and what follows from that failed: %s", error)
            return False

    def _fail_or_wait(self, error: BaseException) -> None:
        """Give up after a failure, or wait before the job comes back, as the restart strategy says."""
        self._checkpointing.failed_at(self._version)
        self.progress.failed(error)
        refuse_restart(self.record, self.checkpoints.latest, error)
        wait = self._backoff.failed(round(self._stopwatch() * 1000))
        if wait is None:
            raise error
        self.progress.waits(wait)
        where = beginning_of(self.checkpoints.latest, self._start)
        log.warning("job '%s' failed (%d in a row) and starts again from %s in %.1f s: %s",
                    self.plan.job_name, self.progress.failures_in_a_row, where, wait / 1000, error)  # fmt: skip
        self._cancelled.wait(wait / 1000)

    def _restore(self) -> None:
        """Go to the last checkpoint; before the first, to where the job started from, or to its beginning."""
        self._checkpointing.abort_all("the job failed")
        latest = self.checkpoints.latest
        self._epochs.renew()
        self._planner = SourcePlanner(self.plan, broadcast_first=self.settings.broadcast_first)
        self.checkpoints.failures_in_a_row = 0
        version = self._version
        before = version.files()
        if latest is not None:
            metadata = latest.metadata
            state: JobState | None = metadata.state
            number, kind, path = metadata.checkpoint_id, metadata.kind, latest.path
        elif self._start is not None:
            state, number = self._start.state, self._start.checkpoint_id
            kind, path = self._start.kind, self._start.path
        else:
            state, number, kind, path = None, 0, "", ""
        if state is None:
            steps = Steps(self.plan.job_name)
            for enumerator in version.enumerators.values():
                steps.run("close() of an enumerator", enumerator.close)
            self._version = JobVersion(self.plan, self._make_enumerators())
            self.checkpoints.release(before)
            self._hooks.restore(None, {})
            self._commits.abort_stale()
            return
        version.restore(state)
        self._sizer.begin_small()
        self.checkpoints.hold(version.files())
        self.checkpoints.release(before)
        self._hooks.restore(number, state.hooks)
        self._commits.abort_stale(state.committables)
        self._commits.commit(state.committables, number, recovered=True)
        self.checkpoints.statistics.on_restore(RestoreStats(number, kind, self._clock.now(), path))
        log.info("job '%s' goes on from %s %d (epoch %d)", self.plan.job_name, kind, number, state.epoch)

    # One epoch

    def _step(self) -> bool:
        """Run one epoch, or wait when there is nothing to do; True when the job is over."""
        if self.record is not None and self.record.fenced is not None:
            raise self.record.fenced
        if self._look_after_checkpoints():
            return True
        version, now, looked = self._version, self._clock.now(), self._stopwatch()
        sources = self._planner.plan(version, self._sizer.scale, self._clock.steady())
        newly_ended = {vertex for vertex, plan in sources.items() if plan.ended} - version.ended
        due = version.wakeup is not None and version.wakeup <= now
        last = len(version.ended | newly_ended) == len(version.enumerators)
        pending = self._checkpointing.begin(backlog=self._backlog, last=last)
        if pending is None and not newly_ended and not due and all(plan.empty for plan in sources.values()):
            wakeup = None if version.wakeup is None else version.wakeup - now
            self._rest(pause_before(sources, self._clock.steady(), wakeup, self.settings.buffer_timeout))
            return False
        if pending is not None and pending.savepoint is not None and pending.savepoint.drain:
            sources = {vertex: replace(plan, ended=True) for vertex, plan in sources.items()}
        begun = self._stopwatch()
        reports = self._run_epoch(sources, pending)
        if reports is None:
            return True
        seconds = self._stopwatch() - begun
        version.ended |= newly_ended
        self._backlog = any(plan.backlog for plan in sources.values())
        self._accept(reports, pending, EpochTimes(now, 0.0, begun - looked, seconds, 0.0))
        total, state = slowest(self.plan, reports, "total"), slowest(self.plan, reports, "state")
        changed = max((report.changed_bytes for report in reports), default=0)
        records = self.progress.history[-1].records_in
        self._sizer.observe(total, backlog=self._backlog, state=state, changed=changed, records=records)
        stopping = pending is not None and pending.savepoint is not None and pending.savepoint.stop
        if last or stopping:
            over = self._settle()
            if not over and not last:
                self._checkpointing.go_on_after(pending)
            return over or (last and self._checkpointing.is_final(pending))
        if not self._backlog:
            self._rest(max(0.0, self.settings.buffer_timeout / 1000 - seconds))
        return False

    def _rest(self, seconds: float) -> None:
        """Wait until there may be something to do, or somebody wants something."""
        if self._wake.wait(seconds):
            self._wake.clear()

    def _settle(self) -> bool:
        """Wait for the checkpoints under way, at the end; tell functions what became of them. True to stop now."""
        over = self._look_after_checkpoints(wait=True)
        if self._checkpointing.notices and somebody_listens(self.plan):
            # Sources that have not ended stay so: a job that stops without a drain must not fire its windows.
            reports = self._run_epoch(self._planner.nothing(), None)
            if reports is not None:
                self._accept(reports, None, EpochTimes(self._clock.now(), 0.0, 0.0, 0.0, 0.0))
        return over

    def _look_after_checkpoints(self, *, wait: bool = False) -> bool:
        """Act on checkpoints that are complete or given up; True when the job ends with one."""
        self._stopped_with = self._checkpointing.handle(self._version, wait=wait)
        start = self._start
        if start is not None and start.claimed is not None and self.checkpoints.latest is not None:
            start.claimed()
            self._start = replace(start, claimed=None)
        return self._stopped_with is not None

    def _run_epoch(self, sources: dict[int, SourcePlan], pending: PendingCheckpoint | None) -> list[TaskReport] | None:
        told = len(self._checkpointing.notices)
        # What a failed attempt has written must not stand in the way of the next.
        undo = partial(self._commits.abort_stale, self._version.committables)
        reports = self._epochs.run(lambda: self._order(sources, pending), self._version.ledger, undo)
        if reports is not None:
            del self._checkpointing.notices[:told]
        return reports

    def _order(self, sources: dict[int, SourcePlan], pending: PendingCheckpoint | None) -> EpochOrder:
        version, checkpoints = self._version, self.checkpoints
        self.progress.epoch_begins(version.epoch + 1)
        number = checkpoints.next_id if checkpoints.settings.enabled else 0
        return EpochOrder(
            version.epoch + 1,
            str(self.job_id),
            self._epochs.run_id,
            version.ledger.orders(sources),
            set_time=self._clock.now() if isinstance(self._clock, ManualClock) else None,
            snapshot=number if pending is None else pending.checkpoint_id,
            notices=tuple(self._checkpointing.notices),
            savepoint=None
            if pending is None or pending.path is None
            else SavepointOrder(pending.path, version.columns),
        )

    def _accept(self, reports: list[TaskReport], pending: PendingCheckpoint | None, times: EpochTimes) -> None:
        begun = self._stopwatch()
        reach("epoch.accepted")
        version, current = self._version, self.progress.current
        came, went = version.accept(reports)
        self.checkpoints.hold(came)
        self._planner.observe(reports)
        version.committables.extend(self._commits.deliver(reports))
        if pending is not None:
            self._checkpointing.acknowledge(pending, version, reports)
        self.checkpoints.release(went)
        finished = self._stopwatch()
        stats = EpochStats.of(
            self.plan,
            version.epoch,
            replace(times, finished=finished, commit=finished - begun),
            reports,
            version.enumerators,
            attempt=1 if current is None else current.attempt,
            backlog=self._backlog,
            checkpoint=None if pending is None else pending.checkpoint_id,
        )
        log.debug("epoch %d: %d records in %.0f ms", stats.epoch, stats.records_in, times.run * 1000)
        self.progress.epoch_ends(stats)
