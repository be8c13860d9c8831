"""Functions that want to know what becomes of checkpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod

__all__ = ["CheckpointListener"]


class CheckpointListener(ABC):
    """A second base for functions that act once a checkpoint is complete: tell an outside system, free a resource.

    The call comes at the start of the next epoch, in whatever worker that runs the subtask then. A job that dies in
    between makes none, so nothing may depend on every call: a later one covers all earlier checkpoints.

    >>> from flott.datastream import MapFunction
    >>> class Acknowledging(MapFunction, CheckpointListener):
    ...     def map(self, value):
    ...         return value
    ...
    ...     def notify_checkpoint_complete(self, checkpoint_id):
    ...         print("everything up to checkpoint", checkpoint_id, "is safe")
    """

    @abstractmethod
    def notify_checkpoint_complete(self, checkpoint_id: int) -> None:
        """A checkpoint is complete: what this function did before it will never be done again."""

    def notify_checkpoint_aborted(self, checkpoint_id: int) -> None:  # noqa: B027 - few care
        """A checkpoint was given up; the next one holds what it would have held."""
