"""What a Kafka broker keeps: logs of partitions, transactions with fencing, offsets of groups."""

from __future__ import annotations

import threading
from bisect import bisect_right
from itertools import islice

from tests.connectors.kafka.wire import StoredBatch, end_marker, split_batches

NONE, UNKNOWN_TOPIC, OUT_OF_RANGE = 0, 3, 1
OUT_OF_ORDER, DUPLICATE, INVALID_EPOCH, INVALID_TXN, INVALID_MAPPING = 45, 46, 47, 48, 49
LATEST, EARLIEST = -1, -2
READ_COMMITTED = 1


class Partition:
    def __init__(self):
        self.batches = []
        self.end = 0
        self.start = 0
        self.open = {}
        """First offsets of transactions that are not over, by producer."""
        self.aborted = []
        """Producer, first and last offset of transactions that came to nothing."""
        self.sequences = {}

    @property
    def stable(self):
        return min(self.open.values(), default=self.end)

    def append(self, data):
        batch = StoredBatch(data, self.end)
        self.batches.append(batch)
        self.end = batch.end
        return batch

    def check_sequence(self, batch):
        """Return an error code: an idempotent producer's batches come once, in order."""
        if batch.producer < 0 or batch.sequence < 0:
            return NONE
        epoch, expected = self.sequences.get(batch.producer, (batch.epoch, 0))
        if epoch != batch.epoch:
            expected = 0
        if batch.sequence == expected:
            self.sequences[batch.producer] = (batch.epoch, expected + batch.count)
            return NONE
        return DUPLICATE if batch.sequence < expected else OUT_OF_ORDER

    def finish(self, producer, epoch, *, committed):
        first = self.open.pop(producer, None)
        marker = self.append(end_marker(producer, epoch, committed=committed))
        if first is not None and not committed:
            self.aborted.append((producer, first, marker.base))


class Transaction:
    def __init__(self, producer):
        self.producer, self.epoch = producer, -1
        self.begun = False
        self.partitions = set()
        self.offsets = {}


class Logs:
    """All of it, under one lock; ``changed`` wakes up who waits for messages."""

    def __init__(self, partitions):
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.default = partitions
        self.topics = {}
        self.transactions = {}
        self.groups = {}
        self.producers = 0

    def create(self, topic, partitions=0):
        logs = self.topics.setdefault(topic, [])
        while len(logs) < (partitions or self.default):
            logs.append(Partition())

    def partition(self, topic, number):
        logs = self.topics.get(topic, [])
        return logs[number] if number < len(logs) else None

    # Producers

    def init_producer(self, name):
        if name is None:
            self.producers += 1
            return self.producers, 0
        if name not in self.transactions:
            self.producers += 1
            self.transactions[name] = Transaction(self.producers)
        transaction = self.transactions[name]
        transaction.epoch += 1
        self.finish(transaction, committed=False)
        return transaction.producer, transaction.epoch

    def transaction(self, name, producer, epoch):
        """Return the transaction and an error code: only the producer of the last epoch may go on."""
        transaction = self.transactions.get(name)
        if transaction is None or transaction.producer != producer:
            return None, INVALID_MAPPING
        if transaction.epoch != epoch:
            return None, INVALID_EPOCH
        return transaction, NONE

    def finish(self, transaction, *, committed):
        for topic, number in transaction.partitions:
            self.partition(topic, number).finish(transaction.producer, transaction.epoch, committed=committed)
        if committed:
            for group, offsets in transaction.offsets.items():
                self.groups.setdefault(group, {}).update(offsets)
        transaction.partitions, transaction.offsets, transaction.begun = set(), {}, False
        self.changed.notify_all()

    def produce(self, name, topic, number, data):
        """Append batches; return an error code and the first offset."""
        log = self.partition(topic, number)
        if log is None:
            return UNKNOWN_TOPIC, -1
        base = log.end
        for raw in split_batches(data):
            batch = StoredBatch(raw, log.end)
            if batch.transactional:
                transaction, error = self.transaction(name, batch.producer, batch.epoch)
                if error == NONE and (topic, number) not in transaction.partitions:
                    error = INVALID_TXN
                if error:
                    return error, -1
            error = log.check_sequence(batch)
            if error == DUPLICATE:
                continue
            if error:
                return error, -1
            if batch.transactional:
                log.open.setdefault(batch.producer, log.end)
            log.append(raw)
        self.changed.notify_all()
        return NONE, base

    # Consumers

    def fetch(self, topic, number, offset, size, isolation):
        """Return error code, end, stable end, aborted transactions, and the bytes of batches."""
        log = self.partition(topic, number)
        if log is None:
            return UNKNOWN_TOPIC, -1, -1, [], b""
        if not log.start <= offset <= log.end:
            return OUT_OF_RANGE, log.end, log.stable, [], b""
        limit = log.stable if isolation == READ_COMMITTED else log.end
        found, taken = [], 0
        for batch in islice(log.batches, bisect_right(log.batches, offset, key=lambda one: one.end), None):
            if batch.base >= limit or (taken and taken + len(batch.data) > size):
                break
            found.append(batch.data)
            taken += len(batch.data)
        aborted = [(producer, first) for producer, first, last in log.aborted if last >= offset and first < limit]
        return NONE, log.end, log.stable, aborted, b"".join(found)

    def offset_at(self, topic, number, timestamp, isolation):
        log = self.partition(topic, number)
        if log is None:
            return UNKNOWN_TOPIC, -1, -1
        if timestamp == LATEST:
            return NONE, -1, log.stable if isolation == READ_COMMITTED else log.end
        if timestamp == EARLIEST:
            return NONE, -1, log.start
        for batch in log.batches:
            if batch.max_time >= timestamp:
                return NONE, batch.max_time, batch.base
        return NONE, -1, -1

    def truncate(self, topic, number, offset):
        """Remove what is older than an offset, as retention does."""
        log = self.partition(topic, number)
        log.batches = [batch for batch in log.batches if batch.end > offset]
        log.start = log.batches[0].base if log.batches else log.end
