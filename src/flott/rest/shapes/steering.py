"""What can be asked of a job, and the answers."""

from __future__ import annotations

from typing import TypedDict

SavepointBody = TypedDict(
    "SavepointBody",
    {"target-directory": str | None, "cancel-job": bool, "formatType": str, "triggerId": str | None},
    total=False,
)


class StopBody(TypedDict, total=False):
    """How to stop a job."""

    targetDirectory: str | None
    drain: bool
    formatType: str
    triggerId: str | None


Triggered = TypedDict("Triggered", {"request-id": str})


class OperationStatus(TypedDict):
    """Where something that was asked for stands."""

    id: str


FailureCause = TypedDict("FailureCause", {"class": str, "stack-trace": str})

Operation = TypedDict("Operation", {"location": str, "failure-cause": FailureCause}, total=False)


class SavepointStatusBase(TypedDict):
    """What is always known of a savepoint that was asked for."""

    status: OperationStatus


class SavepointStatus(SavepointStatusBase, total=False):
    """What became of a savepoint that was asked for."""

    operation: Operation


class Nothing(TypedDict):
    """An answer without content."""
