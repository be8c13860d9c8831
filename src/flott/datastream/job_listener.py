"""Who wants to know when jobs start and end."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.common.job_client import JobClient
    from flott.common.job_execution_result import JobExecutionResult

__all__ = ["JobListener"]

log = logging.getLogger("flott.job")


class JobListener(ABC):
    """Is told about the jobs of an environment; see ``env.register_job_listener``.

    >>> class Log(JobListener):
    ...     def on_job_submitted(self, job_client, error):
    ...         print("submitted" if error is None else f"not submitted: {error}")
    ...
    ...     def on_job_executed(self, job_execution_result, error):
    ...         print("done" if error is None else f"failed: {error}")
    """

    @abstractmethod
    def on_job_submitted(self, job_client: JobClient | None, error: BaseException | None) -> None:
        """Is called when a job was submitted, or could not be; one of the arguments is None."""

    @abstractmethod
    def on_job_executed(self, job_execution_result: JobExecutionResult | None, error: BaseException | None) -> None:
        """Is called when ``execute`` ends, well or badly; one of the arguments is None."""


def tell_listeners(listeners: Iterable[JobListener], tell: Callable[[JobListener], None]) -> None:
    """Tell all listeners; one that fails is logged and changes nothing for the job, its caller or the others."""
    for listener in listeners:
        try:
            tell(listener)
        except Exception:
            log.exception("the job listener %s failed", type(listener).__qualname__)
