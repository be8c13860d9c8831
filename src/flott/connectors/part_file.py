"""A part file being written, and the two ways to write records into it."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeAlias, cast

from flott.connectors.rolling_policies import PartFileInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from flott.common.serialization import BulkWriterFactory, Encoder
    from flott.connectors.staged_files import StagedFile

WriteAndFinish: TypeAlias = "tuple[Callable[[Any], None], Callable[[], None]]"


class PartFormat(Protocol):
    """How records become the bytes of a file."""

    def open(self, stream: BinaryIO) -> WriteAndFinish:
        """Start a file; return what writes a record to it and what completes it."""


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Records one after the other, each encoded by itself."""

    encoder: Encoder[Any]

    def open(self, stream: BinaryIO) -> WriteAndFinish:
        encode = self.encoder.encode
        return (lambda element: encode(element, stream)), (lambda: None)


@dataclass(frozen=True, slots=True)
class BulkFormat:
    """Records in a file that is complete only with its end, such as Parquet."""

    factory: BulkWriterFactory[Any]

    def open(self, stream: BinaryIO) -> WriteAndFinish:
        writer = self.factory.create(stream)
        return writer.add_element, writer.finish


class CountingStream(io.RawIOBase):
    """Hands bytes on to a file and counts them."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        written = self._file.write(data)
        self.size += written
        return written

    def tell(self) -> int:
        return self.size


class PartFile:
    """A part file being written."""

    def __init__(self, name: StagedFile, bucket_id: str, file: BinaryIO, format: PartFormat, now: int) -> None:
        self.name = name
        self.info = PartFileInfo(bucket_id, creation_time=now, last_update_time=now)
        self._file = file
        self._stream = CountingStream(file)
        self._write, self._finish = format.open(cast("BinaryIO", self._stream))

    def write(self, element: Any, now: int) -> None:
        """Write a record."""
        self._write(element)
        self.info.last_update_time = now
        self.info.size = self._stream.size

    def complete(self) -> StagedFile:
        """Write the end of the file and close it."""
        self._finish()
        self._file.close()
        return self.name

    def close(self) -> None:
        """Close the file as it is."""
        self._file.close()
