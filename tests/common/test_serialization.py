from __future__ import annotations

import pickle
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import ByteArraySchema, DeserializationSchema, Encoder, Row, SimpleStringSchema, Types
from flott.common.serialization import (
    BulkWriter,
    BulkWriterFactory,
    RowDataBulkWriterFactory,
    RowFieldExtractorSchema,
)


@given(st.text())
def test_text_reads_back(text):
    for charset in ("UTF-8", "UTF-16"):
        schema = SimpleStringSchema(charset)
        assert schema.deserialize(schema.serialize(text)) == text


def test_text_in_another_charset():
    assert SimpleStringSchema("ISO-8859-1").serialize("ü") == b"\xfc"
    with pytest.raises(ValueError, match="no charset 'klingon'"):
        SimpleStringSchema("klingon")
    with pytest.raises(TypeError, match="writes strings, not 5"):
        SimpleStringSchema().serialize(5)


@given(st.binary())
def test_bytes_stay_as_they_are(data):
    schema = ByteArraySchema()
    assert schema.deserialize(schema.serialize(data)) == data
    assert schema.serialize(bytearray(data)) == data


def test_bytes_are_no_text():
    with pytest.raises(TypeError, match="writes bytes, not 'x'"):
        ByteArraySchema().serialize("x")


def test_the_types_of_what_is_read():
    assert SimpleStringSchema().get_produced_type() == Types.STRING()
    assert ByteArraySchema().get_produced_type() == Types.PRIMITIVE_ARRAY(Types.BYTE())


def test_a_schema_of_ones_own():
    class Numbers(DeserializationSchema[int]):
        def deserialize(self, message):
            return int(message)

        def is_end_of_stream(self, next_element):
            return next_element == 0

    assert Numbers().deserialize(b"12") == 12
    assert Numbers().is_end_of_stream(0)
    assert Numbers().get_produced_type() == Types.PICKLED_BYTE_ARRAY()
    assert not SimpleStringSchema().is_end_of_stream("")


def test_a_field_of_a_row_as_message():
    schema = RowFieldExtractorSchema(1)
    assert schema.serialize(Row(b"k", b"v")) == b"v"
    assert schema.serialize(Row(b"k", None)) == b""
    assert schema.serialize(None) == b""
    with pytest.raises(ValueError, match="no field 1"):
        schema.serialize(Row(b"k"))
    with pytest.raises(ValueError, match="must hold bytes, not 'v'"):
        schema.serialize(Row(b"k", "v"))
    with pytest.raises(ValueError, match="0 or more"):
        RowFieldExtractorSchema(-1)


def test_one_line_per_record():
    file = BytesIO()
    encoder = pickle.loads(pickle.dumps(Encoder.simple_string_encoder("UTF-16-LE")))
    for record in ("ä", 5):
        encoder.encode(record, file)
    assert file.getvalue().decode("UTF-16-LE") == "ä\n5\n"
    with pytest.raises(ValueError, match="no charset"):
        Encoder.simple_string_encoder("klingon")


def test_a_bulk_format_of_ones_own():
    class Counting(BulkWriter[str]):
        def __init__(self, stream):
            self.stream, self.count = stream, 0

        def add_element(self, element):
            self.count += 1

        def finish(self):
            self.stream.write(str(self.count).encode())

    class Factory(BulkWriterFactory[str]):
        def create(self, stream):
            return Counting(stream)

    file = BytesIO()
    writer = Factory().create(file)
    writer.add_element("a")
    writer.add_element("b")
    writer.flush()
    writer.finish()
    assert file.getvalue() == b"2"


def test_a_bulk_format_of_rows_knows_their_type():
    class Factory(RowDataBulkWriterFactory):
        def create(self, stream):
            raise NotImplementedError

    row_type = Types.ROW([Types.INT()])
    assert Factory(row_type).get_row_type() is row_type
