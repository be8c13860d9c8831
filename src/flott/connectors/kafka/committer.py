"""The commit of an exactly-once Kafka sink: messages and a marker, in one transaction.

Tasks come and go, and the client can't take over a transaction that another process has begun. So tasks only stage
messages; the driver writes them, when the checkpoint that holds them is complete. With them, in the same transaction,
it commits an offset for a group of the sink's own, and in that offset's metadata stands which committable was the
last. A driver that is asked again reads it, and writes only what comes behind.

One transactional id per sink: a new driver fences the old one, and Kafka ends what that had begun.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from flott.connectors.base import Committer
from flott.connectors.kafka.client import (
    REQUEST_TIMEOUT,
    KafkaConnectionError,
    client_properties,
    explain,
    kafka_module,
    make_client,
)
from flott.connectors.kafka.producing import MessageProducer
from flott.errors import CommitError
from flott.runtime.crash_points import reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flott.connectors.base import SinkScope
    from flott.connectors.kafka.staged_messages import StagedMessages, StagedStore
    from flott.runtime.operators.commit_requests import CommitRequest

log = logging.getLogger("flott.kafka")

Place: TypeAlias = tuple[str, str]
"""Where a marker is: a transactional id, whose name the group has too, and a topic."""

PATIENCE = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""How long to wait, in seconds, before a cluster that did not answer is asked again."""
TRANSACTION_BYTES = 32 << 20
"""A transaction is ended when it has so much, so that none takes longer than Kafka allows."""
MARKED_PARTITION = 0
MARKED_OFFSET = 0
"""The offset means nothing, its metadata does."""


class KafkaCommitter(Committer):
    """Writes what tasks have staged, each committable once, however often it is asked."""

    def __init__(
        self,
        properties: Mapping[str, str],
        store: StagedStore,
        marks: dict[Place, str | None],
        scope: SinkScope | None = None,
    ) -> None:
        self._scope = scope
        self._properties = properties
        self._marks = marks
        """The markers as this driver saw or wrote them last; outlives the committer."""
        self._servers = properties["bootstrap.servers"]
        self._store = store
        self._group: Any = None
        self._producer: MessageProducer | None = None

    def commit(self, requests: list[CommitRequest]) -> None:
        """Commit in the order given; what the cluster did not answer to is tried again after a while."""
        tried = requests[0].get_number_of_retries()
        if tried:
            time.sleep(PATIENCE[min(tried, len(PATIENCE)) - 1])
        names = dict.fromkeys(request.get_committable().transactional_id for request in requests)
        for name in names:
            mine = [request for request in requests if request.get_committable().transactional_id == name]
            try:
                self._commit(name, mine)
            except KafkaConnectionError as error:
                if tried >= len(PATIENCE):
                    raise
                log.warning("%s; the commit is tried again", error)
                for request in mine:
                    request.retry_later()
            finally:
                self.close()

    def close(self) -> None:
        """Disconnect."""
        group, self._group, self._producer = self._group, None, None
        if group is not None:
            group.close()

    def _commit(self, name: str, requests: list[CommitRequest]) -> None:
        kafka = kafka_module()
        try:
            self._producer = MessageProducer(self._properties, transactional_id=name)
            self._producer.client.init_transactions(REQUEST_TIMEOUT)
            self._group = self._make_group(name)
            done = self._count_done(name, [request.get_committable() for request in requests])
            for request in requests[:done]:
                request.signal_already_committed()
                self._store.remove(request.get_committable())
            for pieces in in_transactions(requests[done:]):
                self._write(self._producer, pieces)
        except kafka.KafkaException as error:
            raise self._explained(error, name) from error

    def _make_group(self, name: str) -> Any:
        passed = client_properties(self._properties)
        settings = {key: value for key, value in passed.items() if key in CONNECTION or key.startswith(SECURITY)}
        # What a transaction that is not over yet has committed must not be taken for the marker.
        own = {"group.id": name, "enable.auto.commit": False, "isolation.level": "read_committed"}
        return make_client("Consumer", {**settings, **own})

    def _count_done(self, name: str, staged: list[StagedMessages]) -> int:
        """Return how many were committed before: all up to the one that a marker names."""
        kafka = kafka_module()
        places = [kafka.TopicPartition(topic, MARKED_PARTITION) for topic in dict.fromkeys(one.topic for one in staged)]
        found = {
            (name, place.topic): place.metadata or None for place in self._group.committed(places, REQUEST_TIMEOUT)
        }
        for place, mark in found.items():
            # One that is gone was forgotten by Kafka, which keeps the offsets of an idle group for some days.
            if self._marks.setdefault(place, mark) != mark and mark is not None:
                raise CommitError(
                    f"Kafka ({self._servers}): '{name}' has committed to topic '{place[1]}' since this driver did: "
                    f"another driver has taken the job over, or another job has the same transactional id prefix"
                )
            self._refuse_later(name, mark)
        marks = {mark.partition(SEPARATOR)[0] for mark in found.values() if mark is not None}
        return max((number for number, one in enumerate(staged, 1) if one.id in marks), default=0)

    def _refuse_later(self, name: str, mark: str | None) -> None:
        """Raise if a later driver of this job has committed: this one was replaced and does not know it."""
        _, _, owner = (mark or "").partition(SEPARATOR)
        job, _, number = owner.partition(SEPARATOR)
        if self._scope is not None and job == self._scope.job_id and int(number) > self._scope.owner:
            message = (
                f"Kafka ({self._servers}): driver {number} of this job has committed with '{name}', and this one is "
                f"driver {self._scope.owner}: it was replaced, and commits nothing more"
            )
            raise CommitError(message)

    def _write(self, producer: MessageProducer, requests: list[CommitRequest]) -> None:
        """Write what some requests ask for, and the marker, in a transaction."""
        kafka = kafka_module()
        loaded = [(request, self._store.load(request.get_committable())) for request in requests]
        found = [(request.get_committable(), messages) for request, messages in loaded if messages is not None]
        for request, messages in loaded:
            if messages is None:
                self._account_for(request)
        if not found:
            return
        client = producer.client
        last = found[-1][0]
        client.begin_transaction()
        try:
            for _, messages in found:
                producer.produce(messages)
            text = mark_of(last.id, self._scope)
            mark = kafka.TopicPartition(last.topic, MARKED_PARTITION, MARKED_OFFSET, text)
            client.send_offsets_to_transaction([mark], self._group.consumer_group_metadata(), REQUEST_TIMEOUT)
            producer.flush()
            reach("kafka.before-commit")
            self._end(client)
        except BaseException:
            # Whether the marker was written is not known. If this fails too, the next producer ends the transaction.
            self._marks.pop((last.transactional_id, last.topic), None)
            with suppress(Exception):
                client.abort_transaction(REQUEST_TIMEOUT)
            raise
        self._marks[last.transactional_id, last.topic] = text
        reach("kafka.after-commit")
        for staged, _ in found:
            self._store.remove(staged)

    @staticmethod
    def _end(client: Any) -> None:
        """Commit the transaction; a commit that was not answered in time may be asked for again."""
        kafka = kafka_module()
        for attempt in range(len(PATIENCE) + 1):
            try:
                client.commit_transaction(REQUEST_TIMEOUT)
            except kafka.KafkaException as error:
                if not error.args[0].retriable() or attempt == len(PATIENCE):
                    raise
            else:
                return

    def _account_for(self, request: CommitRequest) -> None:
        """A staged file is gone: it was committed before a crash, or somebody removed it."""
        staged: StagedMessages = request.get_committable()
        if request.recovered:
            log.warning("'%s' was to be committed, and its file is gone: it was committed long ago", staged.file)
            request.signal_already_committed()
            return
        message = f"{staged.count} messages for topic '{staged.topic}' were staged in '{staged.file}', which is gone"
        request.signal_failed_with_unknown_reason(CommitError(message))

    def _explained(self, error: Exception, name: str) -> Exception:
        cause: Any = error.args[0]
        if cause.fatal():
            return CommitError(
                f"Kafka ({self._servers}): the transaction of '{name}' failed for good: {cause.str()}. If it was "
                f"fenced, another job writes with the same transactional id prefix, or a new driver runs this one"
            )
        if cause.txn_requires_abort():
            return KafkaConnectionError(f"Kafka ({self._servers}): a transaction of '{name}' failed: {cause.str()}")
        return explain(error, f"committing a transaction of '{name}'", self._servers)


CONNECTION = frozenset({"bootstrap.servers", "client.id", "metadata.broker.list", "broker.address.family"})
SECURITY = ("ssl.", "sasl.", "security.", "enable.ssl", "enable.sasl", "socket.")


SEPARATOR = ":"


def mark_of(committable: str, scope: SinkScope | None) -> str:
    """Return the text of a marker: what was committed last, and by which driver of which job.

    >>> mark_of("1f", None)
    '1f'
    """
    return committable if scope is None else SEPARATOR.join((committable, scope.job_id, str(scope.owner)))


def in_transactions(requests: list[CommitRequest]) -> Iterator[list[CommitRequest]]:
    """Cut requests into pieces of the size of a transaction."""
    piece: list[CommitRequest] = []
    size = 0
    for request in requests:
        piece.append(request)
        size += request.get_committable().size
        if size >= TRANSACTION_BYTES:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece
