"""Why names of PyFlink are missing in Flott, by pattern; the first that fits counts."""

from __future__ import annotations

JAVA = "gives out a Java object, and there is none"
INNER = "inner workings of PyFlink, left out of its `__all__`"
BRIDGE = "inner workings of PyFlink: how values come from Java"
NOT_APPLICABLE = (JAVA, INNER, BRIDGE)
"""What a program can't miss: left out of the second percentage."""
FILES = "arrives with issue 9 (connectors)"
UNKNOWN = "nobody has said why yet"

REASONS = {
    "*.get_java_*": JAVA,
    "*.to_j_row_kind": JAVA,
    "pyflink.common.utils.JavaObjectWrapper*": JAVA,
    "*.JavaFunctionWrapper*": JAVA,
    "pyflink.datastream.utils.create_*": JAVA,
    "pyflink.datastream.utils.convert_to_python_obj": BRIDGE,
    "pyflink.datastream.utils.pickled_bytes_to_python_obj": BRIDGE,
    "pyflink.datastream.functions.Internal*": INNER,
    "pyflink.datastream.window.WindowOperationDescriptor*": INNER,
    "pyflink.datastream.window.Min*": INNER,
    "pyflink.datastream.window.long_to_int_with_bit_mixing": INNER,
    "pyflink.datastream.window.mod_inverse": INNER,
    "*.StreamingFileSink*": "the older of two file sinks; use FileSink",
    "*.kafka.FlinkKafkaConsumer*": "gone from Flink 2's Kafka connector; use KafkaSource",
    "*.kafka.FlinkKafkaProducer*": "gone from Flink 2's Kafka connector; use KafkaSink",
    "*.kafka.Semantic*": "gone from Flink 2's Kafka connector; use DeliveryGuarantee",
    "*.kafka.KafkaSink.get_transformer": "not needed: the topic is chosen where the message is made",
    "*.formats.avro.AvroRow*": "Avro messages are not there yet; use a DeserializationSchema of your own",
    "*.formats.avro.AvroInputFormat*": "the older of two ways to read files; use FileSource with AvroRecordFormat",
    "*.formats.csv.CsvSchemaBuilder.*": "not there yet; say every column by name, with its element separator",
    "*.formats.parquet.AvroParquet*": "not there yet; use ParquetColumnarRowInputFormat and ParquetBulkWriters",
    "pyflink.datastream.connectors.file_system.*": FILES,
}
