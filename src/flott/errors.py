"""Every error Flott raises on purpose, each with a message that says what to do."""

from __future__ import annotations

USER_CODE_RAISES = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
"""What a call of the user's code may raise as its failure: sys.exit() in a function ends the call, not the process.

A real Ctrl-C interrupts the program's main thread, where no function of a job runs.
"""


class FlottError(Exception):
    """The base of all errors that Flott raises on purpose."""


class GraphError(FlottError):
    """The program is wrong; found while its graph was built, before anything ran."""


class ConfigurationError(FlottError):
    """An option has a value that can't be used."""


class StateAccessError(FlottError):
    """State was used in a place, or in a way, that can't work."""


class ExchangeError(FlottError):
    """A subtask's input of an epoch is incomplete or doubled."""


class StateStoreError(FlottError):
    """A working store, delta or snapshot can't be read or does not fit its lineage."""


class CheckpointError(FlottError):
    """A checkpoint or savepoint can't be taken, read or restored."""


class JobOwnedError(CheckpointError):
    """A job can't be started because another driver runs it."""


class FencedError(FlottError):
    """Another driver has taken the job over: this one ends, and changes and removes nothing."""


class CommitError(FlottError):
    """Output that counts could not be made visible."""


class EpochFailedError(FlottError):
    """An epoch could not be completed; nothing of it counts."""


class JobExecutionError(FlottError):
    """A job ended in failure; the message names the operator and the user's function."""


class TaskFailedError(JobExecutionError):
    """A subtask of a job failed for good, because of the user's code or of state that can't be used."""

    def __init__(self, message: str, vertex: int, subtask: int, kind: str) -> None:
        super().__init__(message, vertex, subtask, kind)
        self.message = message
        self.vertex = vertex
        self.subtask = subtask
        self.kind = kind
        """The error in the subtask, in one line."""

    def __str__(self) -> str:
        return self.message


class RunnerLostError(JobExecutionError):
    """What runs the job's epochs is gone for good, and this process can't get it back: start the program again.

    No restart strategy helps, and nothing is removed: the next start resumes from the last checkpoint.
    """


class JobCanceledError(FlottError):
    """The job was cancelled before it ended by itself."""


class UserFunctionError(FlottError):
    """A user's function raised; says which operator, subtask and record, and keeps the user's own stack trace."""

    def __init__(self, operator: str, uid: str | None, subtask: int, record: str, trace: str) -> None:
        super().__init__(operator, uid, subtask, record, trace)
        self.operator = operator
        self.uid = uid
        self.subtask = subtask
        self.record = record
        self.trace = trace

    def __str__(self) -> str:
        uid = f", uid={self.uid}" if self.uid else ""
        return (
            f"operator '{self.operator}'{uid}, subtask {self.subtask}: "
            f"the user's function failed on record {self.record}\n{self.trace}"
        )
