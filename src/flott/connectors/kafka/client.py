"""Clients of a Kafka cluster: made from properties as Flink's users know them, and errors that say what to do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from flott.errors import FlottError, GraphError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

log = logging.getLogger("flott.kafka")

REQUEST_TIMEOUT = 30.0
"""Seconds that a request to the cluster may take."""

FOR_FLINK = frozenset({
    "client.id.prefix", "partition.discovery.interval.ms", "commit.offsets.on.checkpoint", "register.consumer.metrics",
    "register.producer.metrics", "flink.disable-metrics",
})  # fmt: skip
"""Properties that are not the client's."""

JAVA_ONLY = frozenset({
    "key.deserializer", "value.deserializer", "key.serializer", "value.serializer", "auto.offset.reset",
    "enable.auto.commit", "auto.commit.interval.ms", "max.poll.records", "default.api.timeout.ms",
    "interceptor.classes", "partitioner.class", "buffer.memory", "max.block.ms", "metric.reporters",
    "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms",
})  # fmt: skip
"""Properties of the Java client that mean nothing here, or that the connector decides; Flink overrides most too."""

RENAMED = {"fetch.max.wait.ms": "fetch.wait.max.ms"}

INSTEAD = {
    "sasl.jaas.config": "sasl.username and sasl.password",
    "sasl.login.callback.handler.class": "sasl.oauthbearer.method=oidc and its settings",
    "ssl.truststore.location": "ssl.ca.location, a file of PEM certificates",
    "ssl.truststore.password": "ssl.ca.location, which needs no password",
    "ssl.keystore.type": "ssl.certificate.location and ssl.key.location",
}
"""Properties of the Java client that matter, and what says the same here."""

SECRETS = ("password", "secret", ".pem", "token")


class KafkaError(FlottError):
    """Kafka refused what the connector asked for; trying the same again would not help."""


class KafkaConnectionError(ConnectionError):
    """The cluster can't be reached or did not answer in time; trying again may help."""


def kafka_module() -> ModuleType:
    """Return confluent_kafka, which is an extra, or say how to get it."""
    try:
        import confluent_kafka
        import confluent_kafka.admin
    except ImportError as error:
        message = "Kafka needs confluent-kafka, which is not installed here: pip install 'flott[kafka]'"
        raise GraphError(message) from error
    return confluent_kafka


def checked_properties(properties: Mapping[str, Any]) -> dict[str, str]:
    """Return properties as text; raise for one of the Java client's that has another name here.

    >>> checked_properties({"security.protocol": "SSL", "max.poll.records": 500})
    {'security.protocol': 'SSL', 'max.poll.records': '500'}
    """
    for name, value in properties.items():
        if not isinstance(name, str):
            raise GraphError(f"a Kafka property has a name and a value, both text, not {name!r}={value!r}")
        if name in INSTEAD:
            raise GraphError(f"the Kafka property '{name}' is the Java client's; here it is {INSTEAD[name]}")
    return {name: _text(value) for name, value in properties.items()}


def client_properties(properties: Mapping[str, str], **own: Any) -> dict[str, Any]:
    """Return what a client is made from: the user's properties without those that are not its, then our own."""
    passed = {
        RENAMED.get(name, name): value
        for name, value in properties.items()
        if name not in FOR_FLINK and name not in JAVA_ONLY
    }
    return {**passed, **{name.replace("_", "."): value for name, value in own.items()}}


def make_client(kind: str, properties: dict[str, Any]) -> Any:
    """Make a Consumer, Producer or AdminClient; what it logs goes to the logger ``flott.kafka``."""
    kafka = kafka_module()
    make = kafka.admin.AdminClient if kind == "AdminClient" else getattr(kafka, kind)
    try:
        return make(properties, logger=log)
    except kafka.KafkaException as error:
        raise KafkaError(f"a Kafka client can't be made: {_words(error)}. Properties: {shown(properties)}") from None


def explain(error: Exception, doing: str, servers: str) -> Exception:
    """Turn an error of the client into one that says what was done, and whether trying again may help."""
    kafka = kafka_module()
    cause = error.args[0] if error.args else None
    message = f"Kafka ({servers}): {doing}: {_words(error)}"
    if isinstance(cause, kafka.KafkaError):
        passing = (
            kafka.KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001 - their name for it
            kafka.KafkaError._TRANSPORT,  # noqa: SLF001
            kafka.KafkaError._TIMED_OUT,  # noqa: SLF001
            kafka.KafkaError._RESOLVE,  # noqa: SLF001
        )
        if cause.retriable() or cause.code() in passing:
            return KafkaConnectionError(message)
    return KafkaError(message)


def shown(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties as a message may show them: without secrets."""
    return {
        name: "***" if any(secret in name for secret in SECRETS) else value
        for name, value in properties.items()
        if not callable(value)
    }


def _words(error: Exception) -> str:
    cause = error.args[0] if error.args else error
    return str(cause.str()) if hasattr(cause, "str") else str(cause)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
