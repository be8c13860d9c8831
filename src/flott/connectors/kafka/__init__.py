"""Apache Kafka as source and sink, by way of librdkafka: no jar, no Java client."""
