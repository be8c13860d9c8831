"""Avro files: read block by block, so that several subtasks share a large file. Needs ``flott[avro]``."""

from __future__ import annotations

import io
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from flott.common.serialization import BulkWriter, BulkWriterFactory
from flott.common.typeinfo import Types
from flott.connectors.base import BATCH_SIZE
from flott.connectors.decoded_stream import open_file
from flott.connectors.file_source import BulkFormat
from flott.connectors.paths import edition_of
from flott.errors import ConfigurationError, FlottError, GraphError
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation

SYNC = 16
"""How long the marker is that stands before each block."""
SEARCHED = 1 << 16
KNOWN_FILES = 64


class Header(NamedTuple):
    """The beginning of a file: with it, a reader can start at any block."""

    data: bytes
    marker: bytes


def fastavro() -> Any:
    """Return the library, or say how to get it."""
    try:
        import fastavro as library
    except ModuleNotFoundError:
        raise ConfigurationError("Avro needs the package fastavro: pip install 'flott[avro]'") from None
    return library


def parsed(schema: str) -> Any:
    """Return a schema as fastavro wants it, or say what is wrong with it."""
    try:
        return fastavro().parse_schema(json.loads(schema))
    except (ValueError, KeyError, TypeError) as error:
        raise GraphError(f"{schema:.200} is no Avro schema: {error!r}") from error


class AvroFormat(BulkFormat):
    """The records of Avro files, as dicts and lists. Files written with an older schema are read as this one says."""

    def __init__(self, schema: str) -> None:
        parsed(schema)
        self.schema = schema

    def get_produced_type(self) -> TypeInformation:
        return Types.PICKLED_BYTE_ARRAY()

    def read_range(self, path: str, start: int, end: int) -> Iterator[Batch]:
        try:
            yield from self._read_range(path, start, end)
        except fastavro().read.SchemaResolutionError as error:
            raise FlottError(
                f"'{path}' was written with another schema, and can't be read with this one: {error}. A field that is "
                f"new needs a default, one that has another name an alias"
            ) from error
        except ValueError as error:
            # What fastavro says of bytes that are no Avro.
            raise EOFError(str(error)) from error

    def _read_range(self, path: str, start: int, end: int) -> Iterator[Batch]:
        header = header_of(path, edition_of(path))
        with open_file(path) as file:
            first = _next_block(file, header, start)
            if first is None or first - SYNC >= end:
                return
            file.seek(first)
            reader = fastavro().block_reader(_Joined(header.data, file), parsed(self.schema))
            shift = first - len(header.data)
            values: list[Any] = []
            for block in reader:
                # A block belongs to the range in which the marker before it starts.
                if block.offset + shift - SYNC >= end:
                    break
                values.extend(block)
                if len(values) >= BATCH_SIZE:
                    yield Batch(values)
                    values = []
            if values:
                yield Batch(values)


class _Joined:
    """The header of a file, followed by the file from where it stands."""

    def __init__(self, header: bytes, file: BinaryIO) -> None:
        self._header = io.BytesIO(header)
        self._file = file
        self._position = 0

    def read(self, size: int = -1) -> bytes:
        data = self._header.read(size)
        if size < 0 or len(data) < size:
            data += self._file.read(size - len(data) if size >= 0 else -1)
        self._position += len(data)
        return data

    def tell(self) -> int:
        return self._position


def _next_block(file: BinaryIO, header: Header, start: int) -> int | None:
    """Return where the first block starts whose marker starts at ``start`` or behind it."""
    if start <= len(header.data) - SYNC:
        return len(header.data)
    file.seek(start)
    kept, position = b"", start
    while data := file.read(SEARCHED):
        found = (kept + data).find(header.marker)
        if found >= 0:
            return position - len(kept) + found + SYNC
        position += len(data)
        kept = (kept + data)[1 - SYNC :]
    return None


@lru_cache(KNOWN_FILES)
def header_of(path: str, edition: tuple[Any, ...]) -> Header:
    """Return the beginning of a file; a process that outlives the job may meet another edition of it."""
    del edition
    library = fastavro()
    with open_file(path) as file:
        counted = _Joined(b"", file)
        header = library.reader(counted)._header  # noqa: SLF001 - the only way to the marker
        length = counted.tell()
        file.seek(0)
        return Header(file.read(length), header["sync"])


class AvroWriterFactory(BulkWriterFactory[Any]):
    """Opens Avro files for records."""

    def __init__(self, schema: str, codec: str = "deflate") -> None:
        parsed(schema)
        self.schema = schema
        self.codec = codec

    def create(self, stream: BinaryIO) -> AvroWriter:
        """Return the writer of one file."""
        return AvroWriter(stream, parsed(self.schema), self.codec)


class AvroWriter(BulkWriter[Any]):
    """Writes records to an Avro file."""

    def __init__(self, stream: BinaryIO, schema: Any, codec: str) -> None:
        self._names = [field["name"] for field in schema.get("fields", ())]
        self._writer = fastavro().write.Writer(stream, schema, codec=codec, validator=True)

    def add_element(self, element: Any) -> None:
        """Add a record: a dict, or a Row or tuple with the fields in order."""
        if not isinstance(element, dict) and self._names:
            element = dict(zip(self._names, element, strict=True))
        self._writer.write(element)

    def flush(self) -> None:
        """Write the records that are held, as a block."""
        self._writer.flush()

    def finish(self) -> None:
        """Write what is held."""
        self._writer.flush()
