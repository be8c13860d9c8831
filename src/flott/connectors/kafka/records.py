"""Messages to records: what a deserialiser sees, and the two kinds of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from operator import itemgetter, methodcaller
from typing import TYPE_CHECKING, Any

from flott.common.serialization import DeserializationSchema
from flott.errors import GraphError
from flott.runtime.batch import Batch
from flott.runtime.emission import emission

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation

NO_TIMESTAMP = -1
# Called for each message: no Python function in between.
VALUE, TIMESTAMP, SECOND = methodcaller("value"), methodcaller("timestamp"), itemgetter(1)


@dataclass(frozen=True, slots=True)
class KafkaConsumerRecord:
    """A message as it lies in Kafka.

    >>> KafkaConsumerRecord("orders", 0, 7, 1000, b"tea", b"2").key
    b'tea'
    """

    topic: str
    partition: int
    offset: int
    timestamp: int | None
    """Milliseconds since 1970: of the record, or of its arrival, as the topic is set."""
    key: bytes | None
    value: bytes | None
    """None for a tombstone."""
    headers: tuple[tuple[str, bytes | None], ...] = ()


class KafkaRecordDeserializationSchema(ABC):
    """Makes a record of a whole message: key, headers, timestamp, partition and offset included.

    >>> class KeyAndValue(KafkaRecordDeserializationSchema):
    ...     def deserialize(self, record):
    ...         return record.key.decode(), record.value.decode()
    """

    def open(self) -> None:  # noqa: B027 - most need none
        """In a task, before the first message."""

    @abstractmethod
    def deserialize(self, record: KafkaConsumerRecord) -> Any:
        """Return the record that a message holds; None for none."""

    def get_produced_type(self) -> TypeInformation | None:
        """Return the type of the records, if it is known."""
        return None

    @staticmethod
    def value_only(deserialization_schema: DeserializationSchema[Any]) -> KafkaRecordDeserializationSchema:
        """Make records of the messages' values; tombstones, which have none, are dropped."""
        return ValueOnly(deserialization_schema)

    @staticmethod
    def of(function: Callable[[KafkaConsumerRecord], Any]) -> KafkaRecordDeserializationSchema:
        """Make records by a function."""
        return ByFunction(function)

    def batch(self, messages: list[Any]) -> Batch:
        """Make the batch of some messages of the client."""
        values: list[Any] = []
        stamps: list[int | None] = []
        deserialize, emitted = self.deserialize, emission(object_reuse=False).one
        for message in messages:
            record = consumer_record(message)
            value = emitted(deserialize(record))
            if value is not None:
                values.append(value)
                stamps.append(record.timestamp)
        return Batch(values, stamps)


class ByFunction(KafkaRecordDeserializationSchema):
    """What ``KafkaRecordDeserializationSchema.of`` makes."""

    def __init__(self, function: Callable[[KafkaConsumerRecord], Any]) -> None:
        self.function = function

    def deserialize(self, record: KafkaConsumerRecord) -> Any:
        return self.function(record)


class ValueOnly(KafkaRecordDeserializationSchema):
    """What ``KafkaRecordDeserializationSchema.value_only`` makes; looks at nothing but values and timestamps."""

    def __init__(self, schema: DeserializationSchema[Any]) -> None:
        if not isinstance(schema, DeserializationSchema):
            raise GraphError(
                f"set_value_only_deserializer({schema!r:.100}): give a DeserializationSchema, for text "
                f"SimpleStringSchema(); for key, headers or timestamp there is set_deserializer(...)"
            )
        self.schema = schema

    def open(self) -> None:
        self.schema.open()

    def deserialize(self, record: KafkaConsumerRecord) -> Any:
        return None if record.value is None else self.schema.deserialize(record.value)

    def get_produced_type(self) -> TypeInformation | None:
        return self.schema.get_produced_type()

    def batch(self, messages: list[Any]) -> Batch:
        data = list(map(VALUE, messages))
        if None in data:  # tombstones
            messages = [message for message, bytes_ in zip(messages, data, strict=True) if bytes_ is not None]
            data = [bytes_ for bytes_ in data if bytes_ is not None]
        values = self._values(data)
        stamps: list[int | None] = list(map(SECOND, map(TIMESTAMP, messages)))
        if NO_TIMESTAMP in stamps:
            stamps = [None if stamp == NO_TIMESTAMP else stamp for stamp in stamps]
        if None in values:
            stamps = [stamp for stamp, value in zip(stamps, values, strict=True) if value is not None]
            values = [value for value in values if value is not None]
        return Batch(values, stamps)

    def _values(self, data: list[bytes]) -> list[Any]:
        schema = self.schema
        if type(schema).deserialize_all is not DeserializationSchema.deserialize_all:
            return schema.deserialize_all(data)
        emitted, deserialize = emission(object_reuse=False).one, schema.deserialize
        return [emitted(deserialize(message)) for message in data]


def consumer_record(message: Any) -> KafkaConsumerRecord:
    """Return a message of the client as users see it."""
    stamp = message.timestamp()[1]
    return KafkaConsumerRecord(
        message.topic(),
        message.partition(),
        message.offset(),
        None if stamp == NO_TIMESTAMP else stamp,
        message.key(),
        message.value(),
        tuple(message.headers() or ()),
    )
