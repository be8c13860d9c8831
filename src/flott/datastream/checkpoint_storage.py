"""Where checkpoints are kept, as an object; the option `execution.checkpointing.dir` says the same."""

from __future__ import annotations

from typing import Any

__all__ = [
    "CheckpointStorage",
    "CustomCheckpointStorage",
    "FileSystemCheckpointStorage",
    "JobManagerCheckpointStorage",
]


class CheckpointStorage:
    """The base of all storages."""

    def __init__(self, checkpoint_path: str | None = None) -> None:
        self._checkpoint_path = checkpoint_path

    def get_checkpoint_path(self) -> str | None:
        """Returns the directory of the checkpoints, if there is one."""
        return self._checkpoint_path

    def get_savepoint_path(self) -> str | None:
        """Returns the directory of the savepoints; None, as it is set by its own option."""
        return None

    def __str__(self) -> str:
        return f"{type(self).__name__}({self._checkpoint_path!r})"


class JobManagerCheckpointStorage(CheckpointStorage):
    """Keeps checkpoints with the driver: for trying things out.

    >>> JobManagerCheckpointStorage().get_max_state_size()
    5242880
    """

    DEFAULT_MAX_STATE_SIZE = 5 * 1024 * 1024

    def __init__(self, checkpoint_path: str | None = None, max_state_size: int | None = None) -> None:
        super().__init__(checkpoint_path)
        self._max_state_size = self.DEFAULT_MAX_STATE_SIZE if max_state_size is None else max_state_size
        if self._max_state_size < 1:
            raise ValueError(f"the largest state size is 1 byte or more, not {max_state_size}")

    def get_max_state_size(self) -> int:
        """Returns how many bytes of state a task may have."""
        return self._max_state_size


class FileSystemCheckpointStorage(CheckpointStorage):
    """Keeps checkpoints in a directory that all workers reach: a local one, hdfs://, s3://, gs://.

    >>> FileSystemCheckpointStorage("file:///tmp/checkpoints").get_checkpoint_path()
    'file:///tmp/checkpoints'
    """

    MAX_FILE_STATE_THRESHOLD = 1024 * 1024

    def __init__(
        self,
        checkpoint_path: str | None = None,
        file_state_size_threshold: int | None = None,
        write_buffer_size: int = -1,
    ) -> None:
        if not checkpoint_path:
            raise ValueError("FileSystemCheckpointStorage needs a directory, such as 'file:///tmp/checkpoints'")
        super().__init__(checkpoint_path)
        threshold = -1 if file_state_size_threshold is None else file_state_size_threshold
        if not -1 <= threshold <= self.MAX_FILE_STATE_THRESHOLD:
            raise ValueError(
                f"the smallest file size is between 0 and {self.MAX_FILE_STATE_THRESHOLD} bytes, "
                f"or -1 for the default, not {threshold}"
            )
        if write_buffer_size < -1:
            raise ValueError(f"the write buffer has 0 bytes or more, or -1 for the default, not {write_buffer_size}")
        self._threshold = 20 * 1024 if threshold < 0 else threshold
        self._write_buffer_size = 4096 if write_buffer_size < 0 else write_buffer_size

    def get_min_file_size_threshold(self) -> int:
        """Returns below how many bytes state would be kept in the metadata."""
        return self._threshold

    def get_write_buffer_size(self) -> int:
        """Returns how many bytes are gathered before they are written."""
        return max(self._write_buffer_size, self._threshold)


class CustomCheckpointStorage(CheckpointStorage):
    """A storage of one's own, which only Flink could use."""

    def __init__(self, checkpoint_storage: Any) -> None:
        super().__init__()
        self.checkpoint_storage = checkpoint_storage
