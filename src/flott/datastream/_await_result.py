"""Waits for a job."""

from __future__ import annotations

from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING

from flott.errors import FlottError, JobCanceledError, JobExecutionError

if TYPE_CHECKING:
    from flott.common.job_client import JobClient
    from flott.common.job_execution_result import JobExecutionResult

__all__ = ["await_result"]

CANCELLING_TAKES_AT_MOST = 60.0
"""Seconds; a job that can't be cancelled must not keep the terminal for ever."""


def await_result(client: JobClient) -> JobExecutionResult:
    """Return the result of a job, or raise what it failed with as a JobExecutionError. Ctrl-C cancels the job."""
    future = client.get_job_execution_result()
    try:
        return future.result()
    except KeyboardInterrupt:
        with suppress(Exception, KeyboardInterrupt):
            client.cancel().result(CANCELLING_TAKES_AT_MOST)
        raise
    except CancelledError:
        raise JobCanceledError(f"job {client.get_job_id()} was cancelled") from None
    except (JobExecutionError, JobCanceledError):
        raise
    except FlottError as error:
        raise JobExecutionError(str(error)) from error
    except Exception as error:
        raise JobExecutionError(f"job {client.get_job_id()} failed: {type(error).__name__}: {error}") from error
