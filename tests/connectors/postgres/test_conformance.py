"""PostgreSQL's source and sink go through the conformance kit."""

from __future__ import annotations

import pyarrow as pa
import pytest

from flott.connectors.postgres_connection import PostgresAddress
from flott.datastream.connectors.postgres import DeliveryGuarantee, PostgresSink
from flott.table.connectors.jdbc_source import Partitions, PostgresSource
from flott.testing.connectors import SINK_CHECKS, SOURCE_CHECKS, SinkCase, SourceCase

pytestmark = pytest.mark.job


@pytest.mark.parametrize("check", SINK_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("guarantee", [DeliveryGuarantee.EXACTLY_ONCE, DeliveryGuarantee.AT_LEAST_ONCE])
def test_sink(dsn, db, prepared_now, guarantee, check):
    # No key: two attempts may write the same row at the same time.
    db.execute("CREATE TABLE IF NOT EXISTS conformance (text text)")
    db.execute("DELETE FROM conformance")
    sink = PostgresSink.builder().set_dsn(dsn).set_table("conformance", ["text"]).set_parameters(lambda text: (text,))
    sink = sink.set_delivery_guarantee(guarantee).build()
    check(
        SinkCase(
            lambda: sink,
            lambda: [text for (text,) in db.execute("SELECT text FROM conformance")],
            exactly_once=guarantee is DeliveryGuarantee.EXACTLY_ONCE,
            leftovers=prepared_now,
        )
    )


@pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("partitions", [None, Partitions("id", 0, 59, 6)], ids=["whole", "in-partitions"])
def test_source(dsn, db, partitions, check):
    db.execute("CREATE TABLE IF NOT EXISTS readings AS SELECT id::bigint FROM generate_series(0, 59) AS ids(id)")
    source = PostgresSource(PostgresAddress.parse(dsn, {}), "SELECT id FROM readings", [pa.int64()], partitions, 7)
    whole = PostgresSource(PostgresAddress.parse(dsn, {}), "SELECT id FROM readings", [pa.int64()], None, 100)
    [[read]] = whole.create_enumerator(1).plan(1.0, 0).reads
    expected = [value for batch in whole.read(read) for value in batch.values]
    assert len(expected) == 60
    check(SourceCase(lambda: source, expected=expected))
