"""full_window_partition: the way from a stream to its partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flott.datastream.data_stream.partition_windowed import PartitionWindowedStream

__all__ = ["PartitionWindows"]


class PartitionWindows:
    """``full_window_partition`` of a stream."""

    def full_window_partition(self) -> PartitionWindowedStream:
        """Takes all records of each subtask together, or of each key of a keyed stream, when the input has ended."""
        from flott.datastream.data_stream.partition_windowed import PartitionWindowedStream

        return PartitionWindowedStream(self)  # type: ignore[arg-type]
