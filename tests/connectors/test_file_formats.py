"""CSV, JSON, Parquet and Avro as sources and sinks: each through the conformance kit, and its own rules."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flott.common import Row, Types
from flott.common.time import Duration
from flott.connectors.file_sink import FileSink
from flott.connectors.file_source import FileSource
from flott.datastream.connectors.file_system import BucketAssigner
from flott.datastream.formats.avro import AvroBulkWriters, AvroRecordFormat, AvroSchema
from flott.datastream.formats.csv import CsvBulkWriters, CsvReaderFormat, CsvSchema
from flott.datastream.formats.json import JsonReaderFormat
from flott.datastream.formats.parquet import ParquetBulkWriters, ParquetColumnarRowInputFormat
from flott.errors import FlottError, GraphError
from flott.table import DataTypes
from flott.testing.connectors import SINK_CHECKS, SOURCE_CHECKS, SinkCase, SourceCase

pytestmark = pytest.mark.job

ROWS = [Row(user=f"user {number % 7}", amount=number) for number in range(60)]
TYPE = Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()])
CSV = CsvSchema.builder().add_string_column("user").add_number_column("amount").build()
AVRO = AvroSchema.parse_string(
    '{"type": "record", "name": "Order", "fields": ['
    '{"name": "user", "type": "string"}, {"name": "amount", "type": "long"}]}'
)


def written(factory, rows, every=None):
    """The bytes of a file that a bulk writer has written; ``every``: in blocks or row groups of so many rows."""
    stream = io.BytesIO()
    writer = factory.create(stream)
    for number, row in enumerate(rows, 1):
        writer.add_element(row)
        if every and number % every == 0:
            writer.flush()
    writer.finish()
    return stream.getvalue()


def csv_source(path):
    return FileSource.for_record_stream_format(CsvReaderFormat.for_schema(CSV), str(path))


def json_source(path):
    return FileSource.for_record_stream_format(JsonReaderFormat.for_row_type(TYPE), str(path))


def parquet_source(path):
    return FileSource.for_bulk_file_format(ParquetColumnarRowInputFormat(TYPE), str(path))


def avro_source(path):
    return FileSource.for_bulk_file_format(AvroRecordFormat(AVRO), str(path))


def json_lines(rows):
    return "".join(f'{{"user": "{row.user}", "amount": {row.amount}, "other": [1]}}\n' for row in rows).encode()


SOURCES = {
    "csv": (csv_source, lambda rows: written(CsvBulkWriters.for_schema(CSV), rows)),
    "json": (json_source, json_lines),
    "parquet": (parquet_source, lambda rows: written(ParquetBulkWriters.for_row_type(TYPE), rows, every=7)),
    "avro": (avro_source, lambda rows: written(AvroBulkWriters.for_generic_record(AVRO), rows, every=7)),
}
SINKS = {
    "csv": (CsvBulkWriters.for_schema(CSV), csv_source),
    "parquet": (ParquetBulkWriters.for_row_type(TYPE), parquet_source),
    "avro": (AvroBulkWriters.for_generic_record(AVRO), avro_source),
}


def records(name, rows):
    return [{"user": row.user, "amount": row.amount} for row in rows] if name == "avro" else rows


def everything(source):
    enumerator, found, over = source.create_enumerator(2), [], False
    while not over:
        plan = enumerator.plan(1.0, 0)
        found += [
            value for reads in plan.reads for read in reads for batch in source.read(read) for value in batch.values
        ]
        over = plan.ended
    return found


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", SOURCES)
def test_sources_conform(name, check, tmp_path):
    make, bytes_of = SOURCES[name]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a").write_bytes(bytes_of(ROWS[:40]))
    (tmp_path / "in" / "b").write_bytes(bytes_of(ROWS[40:]))

    def more():
        (tmp_path / "new").write_bytes(bytes_of(ROWS[:3]))
        (tmp_path / "new").rename(tmp_path / "in" / "z")
        return records(name, ROWS[:3])

    builder = make(tmp_path / "in")
    check(SourceCase(builder.build, expected=records(name, ROWS)))
    if check.__name__ == "rests_when_there_is_nothing" and name in {"parquet", "avro"}:
        return  # the driver does not know that no row group starts in a file's last bytes, and has them read
    source = builder.monitor_continuously(Duration.of_millis(1)).build()
    check(SourceCase(lambda: source, expected=records(name, ROWS), more=more))


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", SINKS)
def test_sinks_conform(name, check, tmp_path):
    factory, make = SINKS[name]
    out = tmp_path / "out"
    out.mkdir()
    sink = FileSink.for_bulk_format(str(out), factory).with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())

    def shown():
        return [tuple(one.values()) if isinstance(one, dict) else tuple(one) for one in everything(make(out).build())]

    def hidden():
        return [path for path in out.rglob("*") if path.is_file() and ".staging" in path.parts]

    check(SinkCase(sink.build, record=lambda number: (f"user {number}", number), read=shown, leftovers=hidden))


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda data: pa.compress(data, "zstd", asbytes=True)),
    ],
)
@pytest.mark.parametrize("name", ["csv", "json"])
def test_text_may_be_compressed(name, ending, pack, tmp_path):
    make, bytes_of = SOURCES[name]
    (tmp_path / f"orders{ending}").write_bytes(pack(bytes_of(ROWS)))
    assert everything(make(tmp_path / f"orders{ending}").build()) == ROWS


def test_csv_with_all_its_ways(tmp_path):
    (tmp_path / "a.csv").write_text('n|tags|name|ok\n# a comment\n1|a;b|"x|y"|true\n-|c|null|false\n')
    schema = (
        CsvSchema.builder()
        .add_string_column("name")
        .add_number_column("n", DataTypes.INT())
        .add_array_column("tags")
        .add_boolean_column("ok")
        .set_column_separator("|")
        .set_null_value("-")
        .set_allow_comments()
        .set_use_header()
        .build()
    )
    source = FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), str(tmp_path)).build()
    first = Row(name="x|y", n=1, tags=["a", "b"], ok=True)
    assert everything(source) == [first, Row(name="null", n=None, tags=["c"], ok=False)]
    text = written(CsvBulkWriters.for_schema(schema), [first]).decode()
    assert text == 'name|n|tags|ok\n"x|y"|1|a;b|true\n'


def test_a_file_that_does_not_fit_is_named(tmp_path):
    (tmp_path / "a.csv").write_text("ann,many\n")
    with pytest.raises(FlottError, match=r"a\.csv': the line 'ann,many' does not fit .*invalid value 'many'"):
        everything(csv_source(tmp_path).build())
    pq.write_table(pa.table({"User": ["ann"]}), tmp_path / "a.csv")
    with pytest.raises(FlottError, match=r"a\.csv' has no column 'user'; it has User"):
        everything(parquet_source(tmp_path).build())
    (tmp_path / "a.csv").write_text('{"user": 1\n')
    with pytest.raises(FlottError, match=r"a\.csv': the line '{\"user\": 1' is no JSON object with user: string"):
        everything(json_source(tmp_path).build())


def test_parquet_reads_the_columns_that_are_asked_for(tmp_path):
    pq.write_table(pa.table({"Amount": pa.array([1, 2], pa.int32()), "rest": ["a", "b"]}), tmp_path / "a.parquet")
    row_type = DataTypes.ROW([DataTypes.FIELD("amount", DataTypes.BIGINT())])
    form = ParquetColumnarRowInputFormat(row_type, is_case_sensitive=False)
    source = FileSource.for_bulk_file_format(form, str(tmp_path)).build()
    assert everything(source) == [Row(amount=1), Row(amount=2)]
    assert source.get_produced_type() == Types.ROW_NAMED(["amount"], [Types.LONG()])


def test_a_row_that_does_not_fit_the_columns_is_shown():
    with pytest.raises(FlottError, match=r"a row such as \('ann', 'many'\) does not fit the columns"):
        written(ParquetBulkWriters.for_row_type(TYPE), [("ann", "many")])


def test_formats_that_are_mixed_up_are_named():
    with pytest.raises(GraphError, match="Parquet and Avro are read with for_bulk_file_format"):
        FileSource.for_record_stream_format(ParquetColumnarRowInputFormat(TYPE), "x")
    with pytest.raises(GraphError, match="is no row of columns"):
        ParquetColumnarRowInputFormat(DataTypes.INT())
    with pytest.raises(GraphError, match="is no Avro schema"):
        AvroSchema.parse_string('{"type": "nothing"}')


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('cle,3,"x', "line 4: a quote is opened and not closed in this line: 'cle,3,\"x'"),
        ('"cle,3,x', "the line '\"cle,3,x' does not fit its CsvSchema .*; it is line 4$"),
    ],
)
def test_an_open_quote_in_a_csv_file_is_named_by_its_line(tmp_path, line, said):
    (tmp_path / "a.csv").write_text(f"ann,1,x\n\nbob,2,y\n{line}\n" + "dan,4,z\n" * 100_000)
    schema = CsvSchema.builder().add_string_column("user").add_number_column("n").add_string_column("more").build()
    source = FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), str(tmp_path)).build()
    with pytest.raises(FlottError, match=rf"(?s)a\.csv': {said}"):
        everything(source)


def test_bytes_that_are_no_utf8_in_a_file_of_json_are_named_by_their_line(tmp_path):
    (tmp_path / "a.csv").write_bytes(b'{"user": "ann"}\n{"user": "\xff"}\n')
    with pytest.raises(FlottError, match=r"a\.csv': the line .*bytes that are no UTF-8; it is line 2"):
        everything(json_source(tmp_path).build())
