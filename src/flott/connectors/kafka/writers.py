"""What a Kafka sink does in a task: sends messages at once, or stages them for the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.connectors.base import CommittingSinkWriter, SinkWriter
from flott.connectors.kafka.producing import MessageProducer
from flott.connectors.kafka.staged_messages import Stager
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from flott.connectors.kafka.serialization import KafkaRecordSerializationSchema
    from flott.connectors.kafka.sink_settings import KafkaSinkSettings
    from flott.connectors.kafka.staged_messages import StagedMessages
    from flott.runtime.operators.sinks import WriteContext, WriterInitContext


class SendingWriter(SinkWriter):
    """Sends messages at once. Where at least once is asked for, an epoch ends when all have arrived."""

    def __init__(self, settings: KafkaSinkSettings) -> None:
        self._serializer = settings.serializer
        self._waits = settings.waits
        self._producer = MessageProducer(settings.properties)
        self._serializer.open()

    def write(self, element: Any, context: WriteContext) -> None:
        self.write_batch(Batch([element], [context.timestamp()]))

    def write_batch(self, batch: Batch) -> None:
        """Send the messages of some records."""
        self._producer.produce(messages_of(self._serializer, batch))

    def flush(self, end_of_input: bool) -> None:
        if self._waits or end_of_input:
            self._producer.flush()
        else:
            self._producer.poll()

    def close(self) -> None:
        if self._waits:
            self._producer.forget()
        else:
            self._producer.flush()


class StagingWriter(CommittingSinkWriter):
    """Keeps the messages of an epoch where nobody sees them; the driver writes them in a transaction."""

    def __init__(self, settings: KafkaSinkSettings, context: WriterInitContext) -> None:
        self._serializer = settings.serializer
        # A job that was started with --new must not fence the one that it was started beside.
        own = f"{context.job_id}-" if context.apart else ""
        transactional_id = f"{settings.transactional_id_prefix}-{own}{context.get_operator_id()}"
        self._stager = Stager(settings.staging_directory, transactional_id, context)
        self._messages: list[tuple[Any, ...]] = []
        self._serializer.open()

    def write(self, element: Any, context: WriteContext) -> None:
        self.write_batch(Batch([element], [context.timestamp()]))

    def write_batch(self, batch: Batch) -> None:
        """Keep the messages of some records."""
        self._messages.extend(messages_of(self._serializer, batch))

    def prepare_commit(self) -> list[StagedMessages]:
        messages, self._messages = self._messages, []
        return [self._stager.stage(messages)] if messages else []

    def close(self) -> None:
        self._messages.clear()


def messages_of(serializer: KafkaRecordSerializationSchema, batch: Batch) -> list[tuple[Any, ...]]:
    """Return the messages of a batch as plain tuples, which are the smallest to pickle."""
    serialize = serializer.serialize
    made = (serialize(element, stamp) for element, stamp in batch)
    return [tuple(message) for message in made if message is not None]
