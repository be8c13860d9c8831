"""Tables in Kafka topics: a row is a message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.common.watermark_strategy import WatermarkStrategy
from flott.connectors.kafka.sink import KafkaSink
from flott.connectors.kafka.source import KafkaSource
from flott.table.connectors.kafka_options import (
    discovery_of,
    guarantee_of,
    layout_of,
    properties_of,
    starting,
    stopping,
    topics_of,
)
from flott.table.connectors.kafka_rows import METADATA, MessagesToColumns, RowsToMessages
from flott.table.connectors.registry import TableSink, TableSource
from flott.table.errors import TableError
from flott.table.physical.attach import behind
from flott.table.runtime.conversion import ColumnsToRows

if TYPE_CHECKING:
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.kafka_options import KafkaLayout
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field

__all__ = ["METADATA", "sink", "sink_of", "source"]


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what reads topics; offsets are kept in checkpoints."""
    properties = properties_of(options, table)
    topics, pattern = topics_of(options), options.text("topic-pattern")
    if bool(topics) == bool(pattern):
        raise TableError(f"table '{options.table}': write 'topic' = 'a;b' or 'topic-pattern' = '…', one of the two")
    keys = {column.name: column.metadata for column in table.schema.columns}
    start, stop = starting(options, topics, properties), stopping(options, topics)
    reads = MessagesToColumns(layout_of(options, table), fields, keys)
    builder = KafkaSource.builder().set_properties(properties).set_starting_offsets(start).set_deserializer(reads)
    builder.set_property("partition.discovery.interval.ms", discovery_of(options))
    if pattern:
        builder.set_topic_pattern(pattern)
    else:
        builder.set_topics(*topics)
    if stop is not None:
        builder.set_bounded(stop)
    built = builder.build()

    def stream(environment: Any, strategy: Any) -> Any:
        return environment.from_source(built, strategy, f"kafka: {options.table}")

    plain = lambda environment: stream(environment, WatermarkStrategy.no_watermarks())  # noqa: E731 - called once
    return TableSource(plain, columnar=True, per_split=stream)


def sink(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSink:
    """Return what writes each row as a message."""
    made = sink_of(options, fields, table, layout_of(options, table), upserts=False)
    return TableSink(made, hint="write into an 'upsert-kafka' table with a PRIMARY KEY")


def sink_of(
    options: Options, fields: tuple[Field, ...], table: CatalogTable, layout: KafkaLayout, *, upserts: bool
) -> Any:
    """Return what puts a sink behind a stream of columns."""
    topics = topics_of(options)
    if len(topics) != 1:
        raise TableError(f"table '{options.table}': a table that is written has one 'topic'")
    names = [field.name for field in fields]
    builder = KafkaSink.builder().set_kafka_producer_config(properties_of(options, table))
    builder.set_delivery_guarantee(guarantee_of(options))
    builder.set_record_serializer(RowsToMessages(topics[0], layout, names, upserts=upserts))
    prefix = options.text("sink.transactional-id-prefix")
    if prefix is not None:
        builder.set_transactional_id_prefix(prefix)
    staging = options.text("sink.staging-directory")
    if staging is not None:
        builder.set_staging_directory(staging)
    built = builder.build()

    def attach(stream: Any) -> Any:
        rows = behind(stream, "ToRows", ColumnsToRows(fields))
        return rows.sink_to(built).name(f"Sink: {options.table}")

    return attach
