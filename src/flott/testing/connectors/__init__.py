"""A conformance kit: run a source or a sink, of yours or of ours, through what a job may do to it.

Say what the connector is in a case, and give that to every check. With pytest:

    import pytest
    from flott.testing.connectors import SOURCE_CHECKS, SourceCase

    @pytest.mark.parametrize("check", SOURCE_CHECKS, ids=lambda check: check.__name__)
    def test_conformance(check):
        check(SourceCase(lambda: MySource("orders"), expected=ORDERS))

or all at once:

>>> from flott.datastream.connectors import NumberSequenceSource
>>> check_source(SourceCase(lambda: NumberSequenceSource(1, 50), expected=range(1, 51)))

The checks use nothing but the public contract (docs/connectors.md): no Spark, no job. A failed check raises
ConformanceError and says what the contract asks for.
"""

from __future__ import annotations

from flott.testing.connectors.cases import ConformanceError, SinkCase, SourceCase
from flott.testing.connectors.sink_checks import SINK_CHECKS, check_sink
from flott.testing.connectors.source_checks import SOURCE_CHECKS, check_source

__all__ = [
    "SINK_CHECKS",
    "SOURCE_CHECKS",
    "ConformanceError",
    "SinkCase",
    "SourceCase",
    "check_sink",
    "check_source",
]
