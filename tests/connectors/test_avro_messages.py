"""Rows in messages of Avro."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from decimal import Decimal

import pytest

from flott.common import Row
from flott.datastream.formats.avro import AvroRowDeserializationSchema, AvroRowSerializationSchema
from flott.errors import FlottError, GraphError


def record(**types):
    fields = [{"name": name, "type": kind} for name, kind in types.items()]
    return json.dumps({"type": "record", "name": "Test", "fields": fields})


INNER = {"type": "record", "name": "Inner", "fields": [{"name": "n", "type": ["null", "long"]}]}
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 2}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("int", -7),
        ("string", "tea ä"),
        ("double", 1.5),
        ("boolean", True),
        ("bytes", b"\0\1"),
        (["null", "string"], None),
        ({"type": "array", "items": "int"}, [1, 2]),
        ({"type": "map", "values": INNER}, {"a": Row(n=1), "b": Row(n=None)}),
        (MILLIS, dt.datetime(2020, 1, 31, 12, 0, 0, 5000)),  # noqa: DTZ001 - times of SQL have no zone
        ({"type": "int", "logicalType": "date"}, dt.date(2020, 1, 31)),
        (MONEY, Decimal("1.50")),
    ],
)
def test_what_is_written_is_read_back(kind, value):
    schema = record(f0=kind, f1="int")
    write = AvroRowSerializationSchema(avro_schema_string=schema)
    read = pickle.loads(pickle.dumps(AvroRowDeserializationSchema(avro_schema_string=schema)))
    row = read.deserialize(write.serialize(Row(value, 3)))
    assert list(row) == [value, 3]
    assert read.get_produced_type().get_field_names() == ["f0", "f1"]


def test_bytes_are_those_of_avro():
    write = AvroRowSerializationSchema(avro_schema_string=record(id="int", name="string"))
    assert write.serialize(Row(1, "hi")) == b"\x02\x04hi"


def test_mistakes_are_told():
    schema = record(id="int", name="string")
    with pytest.raises(FlottError, match="it has 1 fields, and record Test has 2"):
        AvroRowSerializationSchema(avro_schema_string=schema).serialize(Row(1))
    with pytest.raises(FlottError, match="failed to deserialize"):
        AvroRowDeserializationSchema(avro_schema_string=schema).deserialize(b"\x02\x90")
    with pytest.raises(GraphError, match="class of Java"):
        AvroRowSerializationSchema(record_class="org.example.Item")
    with pytest.raises(GraphError, match="describes no record"):
        AvroRowDeserializationSchema(avro_schema_string='"int"')
    with pytest.raises(TypeError, match="should be specified"):
        AvroRowDeserializationSchema()
