"""The file source as PyFlink builds it: a format, paths, then settings one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from flott.common.typeinfo import Types
from flott.connectors.decoded_stream import decompressor
from flott.connectors.file_errors import reading
from flott.connectors.file_range import FileRange
from flott.connectors.text_file import TextFileSource, batches_of
from flott.connectors.text_lines import checked_charset, decode_lines, is_splittable
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.common.time import Duration
    from flott.common.typeinfo import TypeInformation
    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead

    Blocks: TypeAlias = Callable[[SplitRead], Iterator[tuple[bytes, str]]]


@dataclass(frozen=True)
class StreamFormat:
    """How records are cut out of the stream of a file's bytes; this one: a record is a line.

    >>> StreamFormat.text_line_format("ISO-8859-1")
    StreamFormat(charset='iso8859-1')
    """

    charset: str

    @staticmethod
    def text_line_format(charset_name: str = "UTF-8") -> StreamFormat:
        """Return the format of text: a record is a line."""
        return StreamFormat(checked_charset(charset_name))

    def can_cut(self, path: str) -> bool:
        """Say whether several subtasks can read one file: not if it must be decoded from its beginning."""
        return decompressor(path) is None and is_splittable(self.charset)

    def read(self, read: SplitRead, blocks: Blocks) -> Iterator[Batch]:
        """Give out the records of a planned read; ``blocks`` gives its lines as they stand in the file."""
        for block, charset in blocks(read):
            yield from batches_of(decode_lines(block, charset))

    def get_produced_type(self) -> TypeInformation:
        """Return the type of the records."""
        return Types.STRING()


class BulkFormat(ABC):
    """A format whose files have parts of their own, such as Parquet's row groups; a part belongs to where it starts."""

    charset = "utf-8"

    @abstractmethod
    def read_range(self, path: str, start: int, end: int) -> Iterator[Batch]:
        """Give out the records of the parts of a file that start from byte ``start`` on and before ``end``."""

    @abstractmethod
    def get_produced_type(self) -> TypeInformation:
        """Return the type of the records."""

    def can_cut(self, path: str) -> bool:
        """Say that several subtasks can read one file."""
        return True

    def read(self, read: SplitRead, blocks: Blocks) -> Iterator[Batch]:
        """Give out the records of a planned read."""
        del blocks
        return self.read_range(FileRange.of(read.split).path, read.start, read.end)


@dataclass(frozen=True, slots=True)
class FileEnumeratorProvider:
    """Which files are read, and whether several subtasks may share one. Hidden files (``.x``, ``_x``) are left out."""

    share_files: bool

    @staticmethod
    def default_splittable_file_enumerator() -> FileEnumeratorProvider:
        """Return the enumerator that lets several subtasks read one large file, compressed ones excepted."""
        return FileEnumeratorProvider(share_files=True)

    @staticmethod
    def default_non_splittable_file_enumerator() -> FileEnumeratorProvider:
        """Return the enumerator that gives each file to one subtask, which so sees all its lines in order."""
        return FileEnumeratorProvider(share_files=False)


@dataclass(frozen=True, slots=True)
class FileSplitAssignerProvider:
    """Which subtask reads which file. There is one way: in order, to the subtask that has least to read."""

    @staticmethod
    def locality_aware_split_assigner() -> FileSplitAssignerProvider:
        """Return the one assigner. Where a subtask runs, and so how near to a file, Spark decides."""
        return FileSplitAssignerProvider()


@dataclass(frozen=True, slots=True)
class FileSourceSettings:
    """What a builder gathers."""

    format: StreamFormat | BulkFormat
    paths: tuple[str, ...]
    share_files: bool = True
    discovery_interval: int | None = None


class FileSourceBuilder:
    """Gathers the settings of a file source; ``FileSource.for_record_stream_format`` starts one."""

    def __init__(self, settings: FileSourceSettings) -> None:
        self._settings = settings

    def monitor_continuously(self, discovery_interval: Duration) -> FileSourceBuilder:
        """Go on for ever: look for new files at this interval and read each once. Move files in when complete."""
        interval = discovery_interval.to_millis()
        if interval <= 0:
            raise GraphError(f"monitor_continuously({discovery_interval}): an interval is at least one millisecond")
        self._settings = replace(self._settings, discovery_interval=interval)
        return self

    def process_static_file_set(self) -> FileSourceBuilder:
        """Read the files that are there when the job starts, then end. This is the default."""
        self._settings = replace(self._settings, discovery_interval=None)
        return self

    def set_file_enumerator(self, file_enumerator: FileEnumeratorProvider) -> FileSourceBuilder:
        """Choose whether several subtasks may read one file."""
        self._settings = replace(self._settings, share_files=file_enumerator.share_files)
        return self

    def set_split_assigner(self, split_assigner: FileSplitAssignerProvider) -> FileSourceBuilder:
        """Choose the one assigner there is."""
        return self

    def build(self) -> FileSource:
        """Return the source."""
        return FileSource(self._settings)


class FileSource(TextFileSource):
    """Reads files: those that are there, or also those that come.

    >>> source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "logs", "more/*.gz").build()
    >>> source.is_bounded()
    True
    """

    def __init__(self, settings: FileSourceSettings) -> None:
        super().__init__(
            *settings.paths,
            charset=settings.format.charset,
            share_files=settings.share_files,
            discovery_interval=settings.discovery_interval,
        )
        self.format = settings.format

    def read(self, read: SplitRead) -> Iterator[Batch]:
        with reading(FileRange.of(read.split).path):
            yield from self.format.read(read, self.blocks)

    def get_produced_type(self) -> TypeInformation:
        return self.format.get_produced_type()

    def can_cut(self, path: str) -> bool:
        return self.format.can_cut(path)

    @staticmethod
    def for_bulk_file_format(bulk_format: BulkFormat, *paths: str) -> FileSourceBuilder:
        """Start to build a source of files with parts of their own, such as Parquet."""
        if not isinstance(bulk_format, BulkFormat):
            raise GraphError(
                f"FileSource.for_bulk_file_format({bulk_format!r:.80}, ...): give a BulkFormat, as in "
                "ParquetColumnarRowInputFormat(...); lines of text are read with for_record_stream_format"
            )
        return FileSourceBuilder(FileSourceSettings(bulk_format, paths))

    @staticmethod
    def for_record_stream_format(stream_format: StreamFormat, *paths: str) -> FileSourceBuilder:
        """Start to build a source of the records in files, which may be compressed (the file's ending tells)."""
        if not isinstance(stream_format, StreamFormat):
            raise GraphError(
                f"FileSource.for_record_stream_format({stream_format!r:.80}, ...): give a StreamFormat, as in "
                "StreamFormat.text_line_format(); Parquet and Avro are read with for_bulk_file_format"
            )
        return FileSourceBuilder(FileSourceSettings(stream_format, paths))
