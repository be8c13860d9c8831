from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flott.common import Instant, Row, RowKind, Types
from flott.common.typeinfo import BasicType, BasicTypeInfo, ExternalTypeInfo, SqlTimeTypeInfo

EXAMPLES = settings().max_examples // 4  # for each of thirty types

# One row a type: its type information, what it looks like, its Arrow type, its values.
CASES = [
    (Types.STRING(), "String", pa.string(), st.text()),
    (Types.BYTE(), "Byte", pa.int8(), st.integers(-(2**7), 2**7 - 1)),
    (Types.BOOLEAN(), "Boolean", pa.bool_(), st.booleans()),
    (Types.SHORT(), "Short", pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    (Types.INT(), "Integer", pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    (Types.LONG(), "Long", pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    (Types.FLOAT(), "Float", pa.float32(), st.floats(width=32, allow_nan=False)),
    (Types.DOUBLE(), "Double", pa.float64(), st.floats(allow_nan=False)),
    (Types.CHAR(), "Char", pa.string(), st.characters(exclude_categories=("Cs",))),
    (Types.BIG_INT(), "BigInteger", None, st.integers()),
    (Types.BIG_DEC(), "BigDecimal", None, st.decimals(allow_nan=False)),
    (
        Types.INSTANT(),
        "Instant",
        pa.timestamp("us", tz="UTC"),
        st.builds(Instant, st.integers(-(10**9), 10**9), st.integers(0, 999_999).map(lambda micros: micros * 1000)),
    ),
    (Types.SQL_DATE(), "DateTypeInfo", pa.date32(), st.dates()),
    (Types.SQL_TIME(), "TimeTypeInfo", pa.time64("us"), st.times()),
    (Types.SQL_TIMESTAMP(), "TimestampTypeInfo", pa.timestamp("us"), st.datetimes()),
    (Types.LOCAL_DATE(), "LocalTimeTypeInfo<LOCAL_DATE>", pa.date32(), st.dates()),
    (Types.LOCAL_TIME(), "LocalTimeTypeInfo<LOCAL_TIME>", pa.time64("us"), st.times()),
    (Types.LOCAL_DATE_TIME(), "LocalTimeTypeInfo<LOCAL_DATE_TIME>", pa.timestamp("us"), st.datetimes()),
    (Types.PICKLED_BYTE_ARRAY(), "PickledByteArrayTypeInfo", None, st.sets(st.integers())),
    (
        Types.PRIMITIVE_ARRAY(Types.INT()),
        "PrimitiveArrayTypeInfo<Integer>",
        pa.list_(pa.int32()),
        st.lists(st.integers(0, 9)),
    ),
    (Types.PRIMITIVE_ARRAY(Types.BYTE()), "PrimitiveArrayTypeInfo<Byte>", pa.binary(), st.binary()),
    (
        Types.BASIC_ARRAY(Types.STRING()),
        "BasicArrayTypeInfo<String>",
        pa.list_(pa.string()),
        st.lists(st.none() | st.text()),
    ),
    (
        Types.OBJECT_ARRAY(Types.SQL_DATE()),
        "ObjectArrayTypeInfo<DateTypeInfo>",
        pa.list_(pa.date32()),
        st.lists(st.none() | st.dates()),
    ),
    (Types.LIST(Types.BIG_INT()), "ListTypeInfo<BigInteger>", None, st.lists(st.integers())),
    (
        Types.MAP(Types.STRING(), Types.SQL_TIME()),
        "MapTypeInfo<String, TimeTypeInfo>",
        pa.map_(pa.string(), pa.time64("us")),
        st.dictionaries(st.text(), st.times()),
    ),
    (
        Types.TUPLE([Types.INT(), Types.SQL_DATE()]),
        "TupleTypeInfo(Integer, DateTypeInfo)",
        pa.struct([("f0", pa.int32()), ("f1", pa.date32())]),
        st.tuples(st.integers(0, 9), st.none() | st.dates()),
    ),
    (
        Types.ROW([Types.INT(), Types.STRING()]),
        "RowTypeInfo(Integer, String)",
        pa.struct([("f0", pa.int32()), ("f1", pa.string())]),
        st.builds(Row.of_kind, st.sampled_from(RowKind), st.integers(0, 9), st.text()),
    ),
    (
        Types.ROW_NAMED(["a", "b"], [Types.ROW([Types.SQL_DATE()]), Types.LIST(Types.LONG())]),
        "RowTypeInfo(a: RowTypeInfo(DateTypeInfo), b: ListTypeInfo<Long>)",
        pa.struct([("a", pa.struct([("f0", pa.date32())])), ("b", pa.list_(pa.int64()))]),
        st.builds(lambda date, items: Row(a=Row(date), b=items), st.dates(), st.lists(st.integers(0, 9))),
    ),
    (
        Types.ROW([Types.INT(), Types.PICKLED_BYTE_ARRAY()]),
        "RowTypeInfo(Integer, PickledByteArrayTypeInfo)",
        None,
        st.builds(Row, st.integers(0, 9), st.just({1})),
    ),
    (ExternalTypeInfo(Types.INT()), "ExternalTypeInfo<Integer>", pa.int32(), st.integers(0, 9)),
    (Types.MAP(Types.BIG_DEC(), Types.INT()), "MapTypeInfo<BigDecimal, Integer>", None, st.just({Decimal(1): 2})),
]
IDS = [text for _, text, _, _ in CASES]


@pytest.mark.parametrize(("type_info", "text", "arrow", "values"), CASES, ids=IDS)
def test_how_it_looks_and_what_arrow_calls_it(type_info, text, arrow, values):
    assert repr(type_info) == str(type_info) == text
    assert type_info.arrow_type() == arrow


@pytest.mark.parametrize(("type_info", "text", "arrow", "values"), CASES, ids=IDS)
def test_values_come_back_from_their_plain_form(type_info, text, arrow, values):
    @settings(max_examples=EXAMPLES)
    @given(values)
    def comes_back(value):
        assert type_info.from_internal_type(type_info.to_internal_type(value)) == value

    comes_back()
    assert type_info.from_internal_type(type_info.to_internal_type(None)) is None


def test_types_are_values_equal_only_to_themselves():
    types = [type_info for type_info, *_ in CASES]
    for position, one in enumerate(types):
        for other_position, other in enumerate(types):
            assert (one == other) == (position == other_position)
        again = pickle.loads(pickle.dumps(one))
        assert again == one
        assert hash(again) == hash(one)
        assert one != "something else"


# Arrow takes these values as they are; rows, tuples and instants go through their plain form.
PLAIN = [case for case in CASES if case[2] is not None and not case[1].startswith(("Row", "Tuple", "Instant"))]


@pytest.mark.parametrize(("type_info", "text", "arrow", "values"), PLAIN, ids=[case[1] for case in PLAIN])
def test_arrow_holds_every_value(type_info, text, arrow, values):
    @settings(max_examples=EXAMPLES)
    @given(st.lists(st.none() | values, max_size=5))
    def holds(column):
        read = pa.array(column, type_info.arrow_type()).to_pylist(maps_as_pydicts="strict")
        assert read == column

    holds()


def test_instants_keep_microseconds_and_arrow_agrees():
    instant = Instant(-1, 999_999_000)
    micros = Types.INSTANT().to_internal_type(instant)
    assert micros == -1
    assert pa.scalar(micros, pa.int64()).cast(Types.INSTANT().arrow_type()).as_py() == dt.datetime(
        1969, 12, 31, 23, 59, 59, 999_999, tzinfo=dt.timezone.utc
    )


def test_times_with_a_zone_become_utc():
    east = dt.timezone(dt.timedelta(hours=2))
    noon = dt.datetime(2020, 1, 1, 12, tzinfo=east)
    kind = Types.SQL_TIMESTAMP()
    assert kind.from_internal_type(kind.to_internal_type(noon)) == dt.datetime(2020, 1, 1, 10)  # noqa: DTZ001
    kind = Types.SQL_TIME()
    assert kind.from_internal_type(kind.to_internal_type(noon.timetz())) == dt.time(10)
    assert kind.from_internal_type(kind.to_internal_type(dt.time(1, tzinfo=east))) == dt.time(23)


def test_the_classes_hand_out_the_same_types():
    for basic in BasicType:
        made = getattr(BasicTypeInfo, f"{basic.name}_TYPE_INFO")()
        assert made.basic_type is basic
        assert made == getattr(Types, basic.name)()
    assert SqlTimeTypeInfo.DATE() == Types.SQL_DATE()
    assert SqlTimeTypeInfo.TIME() == Types.SQL_TIME()
    assert SqlTimeTypeInfo.TIMESTAMP() == Types.SQL_TIMESTAMP()
    assert Types.LIST(Types.INT()).elem_type == Types.INT()


def test_which_elements_an_array_may_have():
    with pytest.raises(TypeError, match=r"a primitive array can't hold String.*Types.OBJECT_ARRAY"):
        Types.PRIMITIVE_ARRAY(Types.STRING())
    with pytest.raises(TypeError, match="a basic array can't hold BigInteger"):
        Types.BASIC_ARRAY(Types.BIG_INT())
    assert Types.OBJECT_ARRAY(Types.BIG_INT()).arrow_type() is None
