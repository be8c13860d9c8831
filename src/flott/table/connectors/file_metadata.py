"""What a table of files can tell about the file in which a row stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import fsspec
import pyarrow as pa

from flott.table.types import DataTypes

if TYPE_CHECKING:
    from flott.table.connectors.partitions import PartitionValue
    from flott.table.types import DataType

Place: TypeAlias = "str | PartitionValue | None"
"""What a column is: a key of the file's metadata, a value in its path, or None for what the file holds."""

METADATA: dict[str, DataType] = {
    "file.path": DataTypes.STRING().not_null(),
    "file.name": DataTypes.STRING().not_null(),
    "file.size": DataTypes.BIGINT().not_null(),
}


def metadata_value(key: str | PartitionValue, path: str) -> Any:
    """Return what a key says about a file, or the value of a column in its path.

    >>> metadata_value("file.name", "/data/day=1/part-0.csv")
    <pyarrow.StringScalar: 'part-0.csv'>
    """
    if not isinstance(key, str):
        return key.of(path)
    if key == "file.path":
        return pa.scalar(path)
    if key == "file.name":
        return pa.scalar(path.rsplit("/", 1)[-1])
    file_system, inside = fsspec.core.url_to_fs(path)
    return pa.scalar(file_system.size(inside), pa.int64())
