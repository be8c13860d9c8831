"""What a job's rows become at the end: output of any writer of Spark's."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from flott.connectors.file_errors import writing
from flott.connectors.find_files import find_files
from flott.connectors.paths import as_uri
from flott.connectors.staged_files import STAGING, StagedFile, StagingArea
from flott.errors import FlottError
from flott.runtime.crash_points import reach
from flott.runtime.storage import open_storage
from flott.spark.frame_feeds import remove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

FILE_FORMATS = frozenset({"parquet", "orc", "json", "csv", "text", "avro", "xml"})
"""Formats whose output is files: Flott moves them to their places itself."""
ASIDE = f"{STAGING}/spark"
"""Where Spark writes, relative to the path of the table."""


@dataclass(frozen=True, slots=True)
class FunctionWrite:
    """Calls a function of the user's with a DataFrame and the number of its checkpoint."""

    function: Callable[[DataFrame, int], None]

    def __call__(self, number: int, files: list[str]) -> None:
        """Have the rows of some files written."""
        try:
            self.function(frame_of(files), number)
        except Exception as error:
            raise FlottError(
                f"the function of sink_to_spark(…) failed with the rows of checkpoint {number}: "
                f"{type(error).__name__}: {first_line(error)}"
            ) from error

    def forget(self, number: int, files: list[str]) -> None:
        """Nothing was kept."""


@dataclass(frozen=True, slots=True)
class FormatWrite:
    """Appends to a table in one of Spark's formats."""

    format: str
    path: str | None
    partition_by: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)

    def __call__(self, number: int, files: list[str]) -> None:
        """Append the rows of some files."""
        with naming_table(f"{self.format} {self.path or ''}".strip()):
            self._append(number, files)

    def _append(self, number: int, files: list[str]) -> None:
        if self.format in FILE_FORMATS and self.path is not None:
            with writing(self.path):
                self._move_in(number, files)
            return
        writer = frame_of(files).write.format(self.format).mode("append").options(**self.options)
        if self.format == "delta":
            # Delta leaves out a version that it has seen of the same application.
            writer = writer.option("txnAppId", owner_of(files)).option("txnVersion", number)
        if self.partition_by:
            writer = writer.partitionBy(*self.partition_by)
        writer.save(None if self.path is None else as_uri(self.path))

    def _move_in(self, number: int, files: list[str]) -> None:
        """Write files aside, note which they are, then move them to their places.

        After a crash the note tells what is left to do; without a note, nothing was moved yet. It stays until the
        rows can't be asked for again: another attempt might cut them into other files.
        """
        key = key_of(number, files)
        storage, area = open_storage(f"{self.path}/{ASIDE}"), StagingArea(str(self.path))
        aside = f"{ASIDE}/{key}"
        try:
            note = storage.read(f"{key}.json")
        except FileNotFoundError:
            target = f"{self.path}/{aside}"
            writer = frame_of(files).write.format(self.format).mode("overwrite").options(**self.options)
            if self.partition_by:
                writer = writer.partitionBy(*self.partition_by)
            writer.save(as_uri(target))
            moves = [
                (f"{aside}/{inside}", renamed(inside, key, position))
                for position, inside in enumerate(sorted(files_below(target)))
            ]
            note = json.dumps(moves).encode()
            storage.write(f"{key}.json", note)
        reach("rows.noted")
        for staged, place in json.loads(note):
            area.publish(StagedFile(staged, place))
            reach("rows.moved")

    def forget(self, number: int, files: list[str]) -> None:
        """Remove the note, and what lies aside."""
        if self.format not in FILE_FORMATS or self.path is None:
            return
        key, area = key_of(number, files), StagingArea(self.path)
        remove(f"{self.path}/{ASIDE}/{key}")
        area.remove([f"{ASIDE}/{key}.json"])
        area.remove_empty(ASIDE)


@dataclass(frozen=True, slots=True)
class TableWrite:
    """Appends to a table of one of Spark's catalogs."""

    name: str
    files: FormatWrite | None
    """Of a table that is files in a directory: what puts them there; then it is done once."""
    options: dict[str, str] = field(default_factory=dict)

    def __call__(self, number: int, files: list[str]) -> None:
        """Append the rows of some files."""
        with naming_table(self.name):
            self._append(number, files)

    def _append(self, number: int, files: list[str]) -> None:
        if self.files is None:
            writer = frame_of(files).write.mode("append").options(**self.options)
            # Delta does nothing for a version that it has seen of the application; others ignore these options.
            writer.option("txnAppId", owner_of(files)).option("txnVersion", number).saveAsTable(self.name)
            return
        self.files(number, files)
        if self.files.partition_by:
            spark().catalog.recoverPartitions(self.name)
        spark().catalog.refreshTable(self.name)

    def forget(self, number: int, files: list[str]) -> None:
        """Remove what lies aside."""
        if self.files is not None:
            self.files.forget(number, files)


@contextmanager
def naming_table(table: str) -> Iterator[None]:
    """Say of what Spark refuses inside for which table it was, without Java's stack."""
    try:
        yield
    except (OSError, FlottError):
        raise
    except Exception as error:
        raise FlottError(f"Spark can't write to {table}: {first_line(error)}") from error


def first_line(error: Exception) -> str:
    """Return what an error, also one of Java's, says, without the stack that Spark adds."""
    return next(iter(str(getattr(error, "java_exception", error)).strip().splitlines()), "")


def key_of(number: int, files: list[str]) -> str:
    """Return a name for the output of some staged files; the same after a restart."""
    return f"{number}-{sha256(''.join(files).encode()).hexdigest()[:16]}"


def owner_of(files: list[str]) -> str:
    """Return which sink of which job has staged some files; the same after a restart.

    >>> owner_of(["/data/x/.staging/job1-op2/0/ab.parquet"])
    'job1-op2'
    """
    return files[0].split("/")[-3]


def renamed(inside: str, key: str, position: int) -> str:
    """Return a name that is the same whenever the same rows are written.

    >>> renamed("day=1/part-00000-x.c000.snappy.parquet", "7-ab", 3)
    'day=1/part-7-ab-3.c000.snappy.parquet'
    """
    folder, slash, name = inside.rpartition("/")
    return f"{folder}{slash}part-{key}-{position}.{name.partition('.')[2]}"


def files_below(directory: str) -> list[str]:
    """Return the files that Spark has written, relative to a directory; its own marks are hidden and left out."""
    return [file.path.split(f"{directory.rpartition('/')[2]}/", 1)[1] for file in find_files([directory])]


def frame_of(files: list[str]) -> DataFrame:
    """Return rows in Parquet files as a DataFrame of the Spark application that is there."""
    return spark().read.parquet(*map(as_uri, files))


def spark() -> SparkSession:
    """Return a session of the Spark application that is there."""
    session: SparkSession = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    return session
