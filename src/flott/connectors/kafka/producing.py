"""Producers: how messages leave, and how it is noticed that one did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.kafka.client import client_properties, explain, kafka_module, make_client

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEFAULTS = {
    "partitioner": "murmur2_random",  # the Java client's, so that keys meet in the same partitions
    "enable.idempotence": True,  # as well
    "linger.ms": 5,
}
WAIT = 0.1
"""Seconds to wait for room when the client has too much to send."""


class MessageProducer:
    """A producer that raises for messages which did not arrive."""

    def __init__(self, properties: Mapping[str, str], **own: Any) -> None:
        self._failures: list[Any] = []
        self._servers = properties["bootstrap.servers"]
        reporting = {"delivery.report.only.error": True, "on_delivery": self._on_delivery}
        self.client = make_client("Producer", {**DEFAULTS, **client_properties(properties, **own), **reporting})

    def produce(self, records: Iterable[tuple[Any, ...]]) -> None:
        """Hand over messages; waits while the client has too much to send."""
        produce = self.client.produce
        for topic, value, key, timestamp, headers, partition in records:
            optional = {} if timestamp is None else {"timestamp": timestamp}
            if headers is not None:
                optional["headers"] = list(headers)
            if partition is not None:
                optional["partition"] = partition
            while True:
                try:
                    produce(topic, value, key, **optional)
                except BufferError:
                    self.client.poll(WAIT)
                else:
                    break
            if self._failures:
                self._raise()

    def poll(self) -> None:
        """Look for failures without waiting."""
        self.client.poll(0)
        if self._failures:
            self._raise()

    def flush(self) -> None:
        """Wait until all has arrived."""
        self.client.flush()
        if self._failures:
            self._raise()

    def forget(self) -> None:
        """Throw away what was not sent yet."""
        self.client.purge()
        self.client.flush(0)

    def _on_delivery(self, error: Any, message: Any) -> None:
        if error is not None:
            self._failures.append((error, message.topic()))

    def _raise(self) -> None:
        failures, self._failures = self._failures, []
        error, topic = failures[0]
        more = f" ({len(failures)} messages)" if len(failures) > 1 else ""
        raise explain(kafka_module().KafkaException(error), f"writing to topic '{topic}'{more}", self._servers)
