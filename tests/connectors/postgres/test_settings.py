"""What can be known about a PostgreSQL sink before it runs."""

from __future__ import annotations

import pickle
import sys

import cloudpickle
import pytest

from flott.common import Row
from flott.connectors.postgres_settings import ByColumn, ByPosition, copy_statement
from flott.datastream.connectors.postgres import DeliveryGuarantee, PostgresSink
from flott.errors import GraphError

pytestmark = pytest.mark.job


def builder():
    return PostgresSink.builder().set_table("t", ["id"])


def test_names_are_quoted():
    assert copy_statement('a."b', ["x; DROP TABLE t --"]) == ('COPY "a"."""b" ("x; DROP TABLE t --") FROM STDIN')


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        ("", ["id"], "'' is no name"),
        ("a..b", ["id"], "'' is no name"),
        ("t", [], "at least one column"),
        ("t", ["a", "a"], "each only once"),
        ("t", [7], "7 is no name"),
        ("t", "id", r"as a list: \['id'\]"),
        ("t" * 64, ["id"], "63 bytes"),
    ],
)
def test_names_that_cannot_be(table, columns, message):
    with pytest.raises(GraphError, match=message):
        PostgresSink.builder().set_table(table, columns)


def test_settings_that_cannot_be():
    with pytest.raises(GraphError, match="no place for a value; write %s"):
        builder().set_statement("SELECT 1")
    with pytest.raises(GraphError, match=r"set_table\(\.\.\.\) or set_statement"):
        PostgresSink.builder().set_dsn("dbname=x").build()
    with pytest.raises(GraphError, match="at least one row"):
        builder().set_batch_size(0)
    with pytest.raises(GraphError, match="at least one millisecond"):
        builder().set_lock_timeout(0)
    with pytest.raises(GraphError, match="EXACTLY_ONCE and AT_LEAST_ONCE"):
        builder().set_delivery_guarantee(DeliveryGuarantee.NONE)
    with pytest.raises(GraphError, match="a function from a record to a tuple"):
        builder().set_parameters("id")


@pytest.mark.parametrize("dsn", ["postgresql//me:hunter2@db/x", "host=db password=hunter2 secret", "hunter2"])
def test_a_connection_string_that_cannot_be_read_is_not_repeated(dsn):
    with pytest.raises(GraphError, match="can't be read") as error:
        builder().set_dsn(dsn).build()
    assert "hunter2" not in str(error.value)
    assert error.value.__cause__ is None


def test_parameters_of_libpq_are_known():
    with pytest.raises(GraphError, match=r"parameters given: host, sslmood"):
        builder().set_connection(host="db", sslmood="require").build()


def test_a_password_is_not_to_be_seen():
    sink = builder().set_dsn("postgresql://me:hunter2@db:5433/shop").set_connection(sslpassword="geheim").build()
    address = sink.settings.address
    assert address.text == "host=db port=5433 dbname=shop user=me"
    assert "hunter2" not in repr(sink.settings)
    assert "geheim" not in repr(sink.settings)
    assert address.hide("hunter2 and geheim") == "*** and ***"
    assert "hunter2" in address.conninfo
    assert "connect_timeout=10" in address.conninfo


def test_single_parameters_come_before_the_string():
    sink = builder().set_dsn("postgresql://db:5433/shop?connect_timeout=3").set_connection(host="other", port=1).build()
    assert sink.settings.address.text == "host=other port=1 dbname=shop"
    assert "connect_timeout=3" in sink.settings.address.conninfo


def test_records_as_parameters():
    by_column = pickle.loads(pickle.dumps(ByColumn(["id", "text"])))
    assert by_column({"text": "a", "id": 1, "more": 2}) == [1, "a"]
    assert by_column(Row(text="a", id=1)) == [1, "a"]
    assert by_column(Row(1, "a")) == [1, "a"]
    assert by_column((1, "a")) == (1, "a")
    assert ByPosition()(Row(1, "a")) == [1, "a"]
    with pytest.raises(TypeError, match=r"got a str; say what its values are: set_parameters"):
        ByPosition()("abc")
    with pytest.raises(TypeError, match="got a dict"):
        ByPosition()({"id": 1})


def test_a_sink_travels():
    sink = builder().set_dsn("dbname=x").set_parameters(lambda n: (n,)).build()
    copy = cloudpickle.loads(cloudpickle.dumps(sink))
    assert copy.settings.address == sink.settings.address
    assert copy.settings.parameters(3) == (3,)


def test_without_psycopg_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(GraphError, match=r"pip install 'flott\[postgres\]'"):
        builder().build()
