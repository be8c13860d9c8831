"""Runs an epoch until it can count, or gives up."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from uuid import uuid4

from flott.errors import EpochFailedError, JobExecutionError, TaskFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.coordination.ledger import Ledger
    from flott.coordination.runner import EpochRunner
    from flott.runtime.plan import EpochPlan
    from flott.runtime.reports import EpochOrder, TaskReport

log = logging.getLogger("flott.job")


class EpochAttempts:
    """Runs epochs, each again from the version before it if it can't be completed."""

    def __init__(
        self,
        plan: EpochPlan,
        runner: EpochRunner,
        most: int,
        stopping: Callable[[], bool],
        note: Callable[[BaseException], object],
    ) -> None:
        self._plan = plan
        self._runner = runner
        self._most = most
        self._stopping = stopping
        self._note = note
        self.run_id = uuid4().hex
        """Operators that a worker kept from another run are not used again."""

    def renew(self) -> None:
        """Begin another run: operators that took part in a failed epoch may hold half of it."""
        self.run_id = uuid4().hex

    def run(
        self, make_order: Callable[[], EpochOrder], ledger: Ledger, undo: Callable[[], None]
    ) -> list[TaskReport] | None:
        """Run an epoch and return its reports; None when the job is being stopped. ``undo`` follows a failed try."""
        for attempt in range(1, self._most + 1):
            order = make_order()
            try:
                reports = self._runner.run(order)
                self._raise_failures(reports)
                ledger.check(reports)
            except EpochFailedError as error:
                if self._stopping():
                    return None
                self.renew()
                undo()
                if attempt == self._most:
                    message = f"epoch {order.epoch} failed {attempt} times, last: {error}"
                    raise JobExecutionError(message) from error
                self._note(error)
                log.warning(
                    "epoch %d could not be completed (%s); it runs again from version %d, nothing of it counted",
                    order.epoch,
                    error,
                    order.epoch - 1,
                )
            else:
                self._log_retries(order.epoch, reports)
                return reports
        return None

    def _raise_failures(self, reports: list[TaskReport]) -> None:
        failures = [report for report in reports if report.failure is not None]
        if failures:
            first = min(failures, key=lambda report: (self._plan.vertices[report.vertex].level, report.subtask))
            failure = first.failure
            if failure is None:
                raise AssertionError(first)
            message = f"job '{self._plan.job_name}': {failure.message}"
            raise TaskFailedError(message, first.vertex, first.subtask, failure.kind)

    def _log_retries(self, epoch: int, reports: list[TaskReport]) -> None:
        again = [report for report in reports if report.attempt > 0]
        if again:
            names = ", ".join(
                f"'{self._plan.vertices[report.vertex].name}' subtask {report.subtask}" for report in again
            )
            log.warning("epoch %d: Spark lost a worker and ran %s again; the result is exact", epoch, names)
