"""Kafka without its client.

`pip install 'flott[kafka]'`, where the driver and the workers run.
"""

import sys

sys.modules["confluent_kafka"] = None

# -- program --
from flott.common import SimpleStringSchema
from flott.datastream.connectors.kafka import KafkaSource

KafkaSource.builder().set_bootstrap_servers("kafka:9092").set_topics("orders").set_group_id(
    "billing"
).set_value_only_deserializer(SimpleStringSchema()).build().create_enumerator(1)
