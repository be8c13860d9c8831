"""PostgreSQL's sink goes through the conformance kit."""

from __future__ import annotations

import pytest

from flott.datastream.connectors.postgres import DeliveryGuarantee, PostgresSink
from flott.testing.connectors import SINK_CHECKS, SinkCase

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
