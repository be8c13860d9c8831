"""The options 'sink.partition-commit…' and 'partition.time-extractor…' of tables in files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from flott.common.duration_text import parse_duration
from flott.connectors.partition_commit import (
    SUCCESS,
    PartitionCommit,
    PartitionCommitPolicy,
    PartitionTime,
    SuccessFile,
)
from flott.table.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.connectors.options import Options

COMMIT = "sink.partition-commit"
EXTRACTOR = "partition.time-extractor"
NANOS_PER_MILLI = 1_000_000


def partition_commit(options: Options, keys: Sequence[str]) -> PartitionCommit | None:
    """Return when partitions are complete and what is done then; None if a table says nothing about it."""
    trigger = options.text(f"{COMMIT}.trigger", "process-time")
    delay = options.text(f"{COMMIT}.delay", "0 s") or "0 s"
    kinds = options.text(f"{COMMIT}.policy.kind")
    policies = [_policy(options, kind.strip()) for kind in (kinds or "").split(",") if kind.strip()]
    time_of = _extractor(options)
    if not policies:
        return None
    if not keys:
        raise TableError(f"table '{options.table}': '{COMMIT}.policy.kind' is for tables that are PARTITIONED BY (…)")
    if trigger not in {"process-time", "partition-time"}:
        raise TableError(
            f"table '{options.table}': '{COMMIT}.trigger' = '{trigger}': it is process-time or partition-time"
        )
    try:
        millis = parse_duration(delay) // NANOS_PER_MILLI
    except ValueError as error:
        raise TableError(f"table '{options.table}': '{COMMIT}.delay' = '{delay}': {error}") from None
    by_clock = trigger == "process-time"
    rule = PartitionCommit.on_processing_time(millis) if by_clock else PartitionCommit.on_watermark(time_of, millis)
    return rule.with_policies(*policies)


def _policy(options: Options, kind: str) -> PartitionCommitPolicy:
    name = options.text(f"{COMMIT}.success-file.name", SUCCESS) or SUCCESS
    custom = options.text(f"{COMMIT}.policy.class")
    if kind == "success-file":
        return SuccessFile(name)
    if kind == "custom":
        made = _made(options, f"{COMMIT}.policy.class", custom)
        if not isinstance(made, PartitionCommitPolicy):
            raise TableError(f"table '{options.table}': {custom} is no PartitionCommitPolicy")
        return made
    instead = "; there is no metastore, readers look into the directories" if kind == "metastore" else ""
    raise TableError(
        f"table '{options.table}': '{COMMIT}.policy.kind' = '{kind}': it is success-file, custom, or both{instead}"
    )


def _extractor(options: Options) -> Any:
    kind = options.text(f"{EXTRACTOR}.kind", "default")
    custom = options.text(f"{EXTRACTOR}.class")
    pattern = options.text(f"{EXTRACTOR}.timestamp-pattern")
    zone = options.text(f"{COMMIT}.watermark-time-zone", "UTC") or "UTC"
    if kind == "custom":
        return _made(options, f"{EXTRACTOR}.class", custom)
    if kind != "default":
        raise TableError(f"table '{options.table}': '{EXTRACTOR}.kind' = '{kind}': it is default or custom")
    return PartitionTime(pattern, zone)


def _made(options: Options, key: str, name: str | None) -> Any:
    """Return an object of a class that is given by name, as in ``my_jobs.commit.Notify``."""
    module, _, attribute = (name or "").rpartition(".")
    try:
        return getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, ValueError) as error:
        raise TableError(
            f"table '{options.table}': '{key}' = '{name}' is no class of Python, as in 'my_jobs.commit.Notify': {error}"
        ) from None
