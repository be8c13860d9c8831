"""Files that can't be read or written: the message names the operator, the file, what is wrong and what to do."""

from __future__ import annotations

import bz2
import gzip
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.connectors.test_file_formats import (
    AVRO,
    ROWS,
    SOURCES,
    avro_source,
    csv_source,
    json_source,
    parquet_source,
    written,
)

from flott.common import Configuration, Types, WatermarkStrategy
from flott.common.serialization import Encoder
from flott.connectors.file_errors import reading
from flott.connectors.file_sink import FileSink
from flott.connectors.file_source import FileSource, StreamFormat
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.formats.avro import AvroBulkWriters, AvroRecordFormat, AvroSchema
from flott.datastream.formats.csv import CsvReaderFormat, CsvSchema
from flott.errors import FlottError, JobExecutionError

pytestmark = pytest.mark.job

DAMAGED = "It is damaged, or was not complete when the job found it"


def text_source(path):
    return FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(path))


def header_source(path):
    columns = CsvSchema.builder().add_string_column("user").add_number_column("amount").set_use_header().build()
    return FileSource.for_record_stream_format(CsvReaderFormat.for_schema(columns), str(path))


def renamed_field(path):
    other = AvroSchema.parse_string(
        '{"type": "record", "name": "Order", "fields": [{"name": "customer", "type": "string"}]}'
    )
    return FileSource.for_bulk_file_format(AvroRecordFormat(other), str(path))


def parquet(**columns):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


def half(data):
    return data[: len(data) // 2]


def blotted(data):
    middle = len(data) // 2
    return data[:middle] + bytes(20) + data[middle + 20 :]


AVRO_FILE = written(AvroBulkWriters.for_generic_record(AVRO), ROWS, every=7)


@pytest.mark.parametrize(
    ("source", "name", "data", "said"),
    [
        (parquet_source, "b.parquet", half(parquet(user=["a"] * 9, amount=[1] * 9)), DAMAGED),
        (parquet_source, "b.parquet", parquet(usr=["a"], amount=[1]), "has no column 'user'; it has usr, amount"),
        (parquet_source, "b.parquet", parquet(user=["a"], amount=["x"]), "column 'amount' is string, and can't"),
        (csv_source, "b.csv", b"ann,1\nbob,two\ncyd,3\n", r"the line 'bob,two' does not fit its CsvSchema \(user: "),
        (csv_source, "b.csv", b"ann,1\nbob\ncyd,3\n", "the line 'bob' does not fit .*Expected 2 columns, got 1"),
        (header_source, "b.csv", b"usr,amount\nann,1\n", "has the columns usr, amount; its CsvSchema has user, amount"),
        (json_source, "b.json", b'{"user": "a"}\n{"user"\n', "the line '{\"user\"' is no JSON object with user: "),
        (avro_source, "b.avro", half(AVRO_FILE), DAMAGED),
        (avro_source, "b.avro", blotted(AVRO_FILE), DAMAGED),
        (avro_source, "b.avro", b"no Avro at all", "is it an avro file.*It is damaged"),
        (renamed_field, "b.avro", AVRO_FILE, "was written with another schema.*customer"),
        (text_source, "b.txt.gz", half(gzip.compress(os.urandom(500))), DAMAGED),
        (text_source, "b.txt.gz", b"no gzip at all", "Not a gzipped file.*It is damaged"),
        (text_source, "b.txt.bz2", b"no bzip at all", "Invalid data stream.*It is damaged"),
        (text_source, "b.txt.bz2", half(bz2.compress(os.urandom(500))), DAMAGED),
    ],
)  # fmt: skip
def test_one_bad_file_in_a_directory(tmp_path, source, name, data, said):
    form = name.split(".")[1]
    if form in SOURCES and source not in (header_source, renamed_field):
        (tmp_path / f"a.{form}").write_bytes(SOURCES[form][1](ROWS))
    (tmp_path / name).write_bytes(data)
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.from_source(source(tmp_path).build(), WatermarkStrategy.no_watermarks(), "orders").print()
    with pytest.raises(JobExecutionError, match=f"operator 'Source: orders': '.*/{name}'.*{said}"):
        env.execute()


@pytest.mark.parametrize("source", [parquet_source, csv_source, json_source, avro_source, text_source])
def test_no_files_and_empty_ones_are_an_empty_input(tmp_path, source):
    for names in ([], ["a", "b"]):
        for name in names:
            (tmp_path / name).touch()
        enumerator = source(tmp_path).build().create_enumerator(2)
        assert enumerator.plan(1.0, 0).ended


def test_a_missing_directory_is_named_with_its_operator(tmp_path):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    source = text_source(tmp_path / "nowhere").build()
    env.from_source(source, WatermarkStrategy.no_watermarks(), "orders").uid("in").print()
    with pytest.raises(JobExecutionError, match=r"operator 'Source: orders' \(uid=in\): no file is at '.*nowhere'"):
        env.execute()


def test_a_place_that_can_not_be_written_is_named_with_its_operator(tmp_path):
    (tmp_path / "file").touch()
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    sink = FileSink.for_row_format(str(tmp_path / "file" / "out"), Encoder.simple_string_encoder()).build()
    env.from_collection(["a"], Types.STRING()).sink_to(sink).name("lines")
    with pytest.raises(JobExecutionError, match=r"operator 'Sink: lines': '.*/out' can't be written.*Not a directory"):
        env.execute()


def test_what_the_system_refuses():
    with (
        pytest.raises(FlottError, match=r"'a\.txt' may not be read by the user that the job's tasks run as"),
        reading("a.txt"),
    ):
        raise PermissionError(13, "Permission denied")
    with pytest.raises(FlottError, match=r"'a\.txt' was there when the job found it, and is gone"), reading("a.txt"):
        raise FileNotFoundError(2, "No such file")
    with pytest.raises(ConnectionResetError), reading("a.txt"):
        raise ConnectionResetError(104, "tried again")


@pytest.mark.parametrize("form", list(SOURCES))
def test_a_file_that_was_replaced_between_two_jobs_is_read_anew(tmp_path, form):
    """The process that has read the first one may be the one that reads the second."""
    make, data = SOURCES[form]
    for rows in (ROWS, ROWS[7:10], ROWS[:40]):
        path = tmp_path / f"a.{form}"
        path.write_bytes(data(rows))
        source = make(path).build()
        [reads] = source.create_enumerator(1).plan(1.0, 0).reads
        assert sum(len(batch) for read in reads for batch in source.read(read)) == len(rows)
