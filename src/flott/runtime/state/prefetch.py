"""When values are prefetched for a batch of records, and when changes are encoded before the epoch ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class PrefetchPolicy:
    """Decides by what the last batch and the last epoch have shown.

    A batch is prefetched if half the records of the batch before missed the cache, and from then on for a window of
    records, or until hardly any key of a batch is read: then all keys are in memory. Changes are encoded early, in
    drafts, if the last epoch brought few records for each key that it changed: otherwise values are pickled repeatedly.
    """

    encodes_early: bool = False
    """Whether changes may be encoded before the epoch ends at all."""
    min_batch: int = 64
    """A batch of fewer records is not prefetched."""
    window: int = 2**20
    """For so many records is prefetched before a batch shows again whether they miss."""
    min_read_ratio: float = 1 / 4
    """If fewer of a batch's keys were read, all are in memory."""
    draft_size: int = 2_048
    """How many changed values are encoded together."""
    max_records_per_key: int = 3
    """With more records for each key that changed, nothing is encoded early."""

    misses: int = 0
    """Records of this batch whose key was not in memory."""
    prefetch_left: int = 0
    """Records of the window that have not come yet."""
    drafting: bool = False
    batch_size: int = 0
    records: int = 0
    """Records of this epoch."""
    changed: int = 0
    """Keys that the last epoch changed."""

    def begin_batch(self, size: int) -> bool:
        """Return whether the values for a batch of records are to be prefetched.

        >>> policy = PrefetchPolicy()
        >>> policy.begin_batch(100)
        False
        >>> policy.misses = 50
        >>> policy.begin_batch(100)
        True
        """
        self.records += size
        missed, before = self.misses, self.batch_size
        self.batch_size, self.misses = size, 0
        if before and 2 * missed >= before:
            self.prefetch_left = self.window
        else:
            self.prefetch_left = max(0, self.prefetch_left - size)
        return self.prefetch_left > 0 and size >= self.min_batch

    def fetched(self, count: int) -> None:
        """Learn how many values of the batch were read."""
        if count < self.min_read_ratio * self.batch_size:
            self.prefetch_left = 0

    @property
    def in_strides(self) -> bool:
        """Whether records are best worked on a few at a time."""
        return self.drafting and self.prefetch_left > 0

    def drafts(self, written: int) -> bool:
        """Return whether so many changed values are to be encoded now."""
        return self.drafting and written >= self.draft_size

    def drafted(self, keys: int) -> None:
        """Learn how many keys have drafts: an epoch may be much longer than the last, which spoke for drafts."""
        self.drafting = self.records < self.max_records_per_key * keys

    def end_epoch(self, changed: int) -> None:
        """Learn how many keys the epoch changed."""
        self.changed = changed
        self.drafting = self.encodes_early and self.records < self.max_records_per_key * changed
        self.records = 0
