"""Where the results of a benchmark go: nowhere, on either engine."""

from __future__ import annotations


def discard(stream, engine: str) -> None:
    """End a stream in a sink that drops everything, which PyFlink offers only through its Java class."""
    if engine == "flott":
        from flott.datastream.connectors.discard import DiscardingSink

        stream.sink_to(DiscardingSink())
    else:
        from pyflink.datastream.functions import SinkFunction
        from pyflink.java_gateway import get_gateway

        sink = get_gateway().jvm.org.apache.flink.streaming.api.functions.sink.legacy.DiscardingSink()
        stream.add_sink(SinkFunction(sink))
