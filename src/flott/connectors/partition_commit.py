"""When a directory of a file sink is complete, and what is done then: a success file, or something of your own."""

from __future__ import annotations

import datetime as dt
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from flott.common.time import Duration, to_milliseconds
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.connectors.staged_files import StagingArea

SUCCESS = "_SUCCESS"
FORMS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H", "%Y-%m-%d")


class PartitionContext:
    """What a policy gets: which partition is complete."""

    def __init__(self, area: StagingArea, partition: str) -> None:
        self._area = area
        self._partition = partition

    def partition_path(self) -> str:
        """Returns the directory of the partition, as the file system knows it."""
        return self._area.path(self._partition.rstrip("/"))

    def partition_values(self) -> list[str]:
        """Returns the values of the partition: of ``day=2020-01-31/hour=12``, those behind the equal signs."""
        return list(partition_values(self._partition).values())

    def file_system(self) -> Any:
        """Returns the file system, which is fsspec's."""
        return self._area.file_system

    def create(self, name: str) -> None:
        """Makes an empty file in the partition; one that is there stays."""
        self._area.touch(f"{self._partition}{name}")


class PartitionCommitPolicy(ABC):
    """What is done with a partition that is complete.

    After a failure, and when rows come too late, it is done again: doing it twice must do no harm.
    """

    @abstractmethod
    def commit(self, context: PartitionContext) -> None:
        """In the driver: do it."""


@dataclass(frozen=True, slots=True)
class SuccessFile(PartitionCommitPolicy):
    """Puts an empty file into the partition, which says that it is complete."""

    name: str = SUCCESS

    def commit(self, context: PartitionContext) -> None:
        context.create(self.name)


@dataclass(frozen=True, slots=True)
class PartitionCommit:
    """When partitions of a file sink are complete, and what is done then.

    >>> rule = PartitionCommit.on_watermark(PartitionTime("$day $hour:00:00"), Duration.of_hours(1))
    >>> rule.is_due("day=2020-01-31/hour=12/", created=0, now=0, watermark=1580475600000)
    False
    >>> rule.is_due("day=2020-01-31/hour=12/", created=0, now=0, watermark=1580475600001)
    True
    """

    time_of: Callable[[str], int] | None
    """Says at which moment, in milliseconds since 1970, a partition starts; None: the clock decides."""
    delay: int = 0
    policies: tuple[PartitionCommitPolicy, ...] = (SuccessFile(),)

    @staticmethod
    def on_watermark(time_of: Callable[[str], int], delay: Duration | int = 0) -> PartitionCommit:
        """A partition is complete when the watermark has passed its time by a delay: ``partition-time`` in SQL."""
        return PartitionCommit(time_of, _delay(delay))

    @staticmethod
    def on_processing_time(delay: Duration | int = 0) -> PartitionCommit:
        """A partition is complete a while after its first file was begun: ``process-time`` in SQL."""
        return PartitionCommit(None, _delay(delay))

    def with_policies(self, *policies: PartitionCommitPolicy) -> PartitionCommit:
        """Says what is done; the default is a success file."""
        for policy in policies:
            if not isinstance(policy, PartitionCommitPolicy):
                raise GraphError(f"with_policies({policy!r:.80}): give SuccessFile(), or a PartitionCommitPolicy")
        return replace(self, policies=policies)

    def is_due(self, partition: str, created: int, now: int, watermark: int | None) -> bool:
        """Say whether a partition is complete; the watermark is None while a subtask has none."""
        if self.time_of is None:
            return self.delay == 0 or now > created + self.delay
        return watermark is not None and watermark > self.time_of(partition) + self.delay


def _delay(given: Duration | int) -> int:
    millis = to_milliseconds(given)
    if millis < 0:
        raise GraphError(f"a delay of {millis} ms: partitions can't be complete before they begin")
    return millis


def partition_values(partition: str) -> dict[str, str]:
    """Return the values of a partition by name; what is escaped in paths is not any more.

    >>> partition_values("day=2020-01-31/time=12%3A30/")
    {'day': '2020-01-31', 'time': '12:30'}
    """
    parts = (unquote(part).partition("=") for part in partition.split("/") if part)
    return {name: value if sign else name for name, sign, value in parts}


@dataclass(frozen=True, slots=True)
class PartitionTime:
    """The moment at which a partition starts, from its values.

    >>> PartitionTime("$dt")("dt=1970-01-02/")
    86400000
    """

    pattern: str | None = None
    """``$day $hour:00:00``: names of partition columns stand for their values. None: the first value."""
    zone: str = "UTC"

    def __call__(self, partition: str) -> int:
        """Return it in milliseconds since 1970."""
        values = partition_values(partition)
        text = next(iter(values.values()), "") if self.pattern is None else self.pattern
        for name in sorted(values, key=len, reverse=True):
            text = text.replace(f"${name}", values[name])
        for form in FORMS:
            try:
                moment = dt.datetime.strptime(re.sub(r"\.0+$", "", text), form)  # noqa: DTZ007 - it gets its zone below
            except ValueError:
                continue
            return int(moment.replace(tzinfo=ZoneInfo(self.zone)).timestamp() * 1000)
        raise ValueError(
            f"partition '{partition}': '{text}' is no time such as 2020-01-31 12:00:00; "
            f"say how its values make one, as in PartitionTime('$day $hour:00:00')"
        )
