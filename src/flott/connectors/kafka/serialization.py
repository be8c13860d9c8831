"""Records to messages: topic, key, value and headers, as PyFlink's builder says them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from flott.common.serialization import SerializationSchema
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class KafkaProducerRecord(NamedTuple):
    """A message that is to be written.

    >>> KafkaProducerRecord("orders", b"2", key=b"tea").headers
    """

    topic: str
    value: bytes | None
    key: bytes | None = None
    timestamp: int | None = None
    """Milliseconds since 1970; None: the time of writing."""
    headers: tuple[tuple[str, bytes | None], ...] | None = None
    partition: int | None = None
    """None: by the key, as the Java client does; without a key, any."""


class KafkaTopicSelector(ABC):
    """Chooses the topic of a record.

    >>> class ByCountry(KafkaTopicSelector):
    ...     def apply(self, data):
    ...         return f"orders-{data['country']}"
    """

    @abstractmethod
    def apply(self, data: Any) -> str:
        """Return the topic."""


class KafkaRecordSerializationSchema(ABC):
    """Makes a message of a record; ``builder()`` for most, a subclass for anything else.

    >>> class Audit(KafkaRecordSerializationSchema):
    ...     def serialize(self, element, timestamp):
    ...         return KafkaProducerRecord("audit", element.encode(), timestamp=timestamp)
    """

    def open(self) -> None:  # noqa: B027 - most need none
        """In a task, before the first record."""

    @abstractmethod
    def serialize(self, element: Any, timestamp: int | None) -> KafkaProducerRecord | None:
        """Return the message of a record, whose event time is given; None to write nothing."""

    @staticmethod
    def builder() -> KafkaRecordSerializationSchemaBuilder:
        """Start to build a schema of topic, key and value."""
        return KafkaRecordSerializationSchemaBuilder()


class TopicKeyValue(KafkaRecordSerializationSchema):
    """What the builder makes."""

    def __init__(
        self,
        topic: str | Callable[[Any], str],
        value: SerializationSchema[Any],
        key: SerializationSchema[Any] | None,
        headers: Callable[[Any], Mapping[str, bytes | None]] | None,
    ) -> None:
        self._topic = topic
        self._value = value
        self._key = key
        self._headers = headers

    def open(self) -> None:
        self._value.open()
        if self._key is not None:
            self._key.open()

    def serialize(self, element: Any, timestamp: int | None) -> KafkaProducerRecord:
        topic = self._topic if isinstance(self._topic, str) else self._topic(element)
        return KafkaProducerRecord(
            topic,
            self._value.serialize(element),
            None if self._key is None else self._key.serialize(element),
            timestamp if timestamp is None or timestamp >= 0 else None,
            None if self._headers is None else tuple(self._headers(element).items()),
        )


class KafkaRecordSerializationSchemaBuilder:
    """Gathers how a record is written: a topic and a value are needed.

    >>> from flott.common.serialization import SimpleStringSchema
    >>> schema = (
    ...     KafkaRecordSerializationSchema.builder()
    ...     .set_topic_selector(lambda word: f"words-{len(word)}")
    ...     .set_value_serialization_schema(SimpleStringSchema())
    ...     .build()
    ... )
    >>> schema.serialize("tea", 1000)[:2]
    ('words-3', b'tea')
    """

    def __init__(self) -> None:
        self._topic: str | Callable[[Any], str] | None = None
        self._key: SerializationSchema[Any] | None = None
        self._value: SerializationSchema[Any] | None = None
        self._headers: Callable[[Any], Mapping[str, bytes | None]] | None = None

    def set_topic(self, topic: str) -> KafkaRecordSerializationSchemaBuilder:
        """Write all records to one topic."""
        if not topic:
            raise GraphError(f"set_topic({topic!r}): give the name of a topic")
        self._topic = topic
        return self

    def set_topic_selector(
        self, topic_selector: Callable[[Any], str] | KafkaTopicSelector
    ) -> KafkaRecordSerializationSchemaBuilder:
        """Choose the topic of each record, by a function or a KafkaTopicSelector."""
        if isinstance(topic_selector, KafkaTopicSelector):
            self._topic = topic_selector.apply
        elif callable(topic_selector):
            self._topic = topic_selector
        else:
            raise TypeError("topic_selector must be KafkaTopicSelector or a callable")
        return self

    def set_key_serialization_schema(
        self, key_serialization_schema: SerializationSchema[Any]
    ) -> KafkaRecordSerializationSchemaBuilder:
        """Say what the key of a message is made of; without this it has none."""
        self._key = _checked(key_serialization_schema, "set_key_serialization_schema")
        return self

    def set_value_serialization_schema(
        self, value_serialization_schema: SerializationSchema[Any]
    ) -> KafkaRecordSerializationSchemaBuilder:
        """Say what the value of a message is made of."""
        self._value = _checked(value_serialization_schema, "set_value_serialization_schema")
        return self

    def set_header_provider(
        self, header_provider: Callable[[Any], Mapping[str, bytes | None]]
    ) -> KafkaRecordSerializationSchemaBuilder:
        """Give messages headers: a function from the record to a dict; Java Flink's name."""
        self._headers = header_provider
        return self

    def build(self) -> KafkaRecordSerializationSchema:
        """Return the schema."""
        if self._topic is None:
            raise GraphError("KafkaRecordSerializationSchema: say where to write: set_topic('orders')")
        if self._value is None:
            raise GraphError(
                "KafkaRecordSerializationSchema: say what to write: "
                "set_value_serialization_schema(SimpleStringSchema())"
            )
        return TopicKeyValue(self._topic, self._value, self._key, self._headers)


def _checked(schema: Any, method: str) -> SerializationSchema[Any]:
    if not isinstance(schema, SerializationSchema):
        raise GraphError(f"{method}({schema!r:.100}): give a SerializationSchema, for text SimpleStringSchema()")
    return schema
