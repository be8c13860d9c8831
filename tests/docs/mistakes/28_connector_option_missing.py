"""A connector without what it needs.

Builders say what is missing when they build.
"""

from flott.datastream.connectors.kafka import KafkaSource

KafkaSource.builder().set_topics("orders").build()
