"""A Kafka broker for tests, in a process of its own: prints its address, lives until its input is closed.

    python broker.py [PARTITIONS [PORT]]

librdkafka's mock cluster answers requests about transactions, but has none: it shows what was aborted, lets fenced
producers go on, and forgets the offsets. This one speaks as much of the protocol as librdkafka needs and keeps Kafka's
rules: control batches, the last stable offset, lists of aborted transactions, producer epochs, sequence numbers. It is
no measure of Kafka itself: set FLOTT_TEST_KAFKA=host:port to run the same tests on a real cluster.
"""

from __future__ import annotations

import contextlib
import socketserver
import struct
import sys
import threading

from tests.connectors.kafka.logs import NONE, UNKNOWN_TOPIC, Logs
from tests.connectors.kafka.wire import Reader, Writer

VERSIONS = {
    0: (3, 3), 1: (4, 4), 2: (1, 2), 3: (1, 4), 8: (2, 2), 9: (1, 1), 10: (0, 2), 18: (0, 3), 19: (2, 2), 21: (0, 0),
    22: (0, 1), 24: (0, 0), 25: (0, 0), 26: (0, 0), 28: (0, 0), 37: (0, 0),
}  # fmt: skip
NODE = 1


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        with contextlib.suppress(ConnectionError):
            while head := self.rfile.read(4):
                reader = Reader(self.rfile.read(struct.unpack(">i", head)[0]))
                key, version, correlation = reader.number("h"), reader.number("h"), reader.number("i")
                reader.text()
                writer = Writer().number("i", correlation)
                self.HANDLERS[key](self, reader, writer, version)
                data = writer.data()
                self.wfile.write(struct.pack(">i", len(data)) + data)

    @property
    def logs(self):
        return self.server.logs

    def api_versions(self, reader, writer, version):
        writer.number("h", NONE)
        if version >= 3:
            writer.number("b", len(VERSIONS) + 1)
            for key, (low, high) in VERSIONS.items():
                writer.numbers("hhhb", key, low, high, 0)
            writer.numbers("ib", 0, 0)
            return
        writer.array(sorted(VERSIONS.items()), lambda one: writer.numbers("hhh", one[0], *one[1]))
        if version >= 1:
            writer.number("i", 0)

    def metadata(self, reader, writer, version):
        names = reader.array(reader.text)
        may_create = version < 4 or reader.number("b")
        host, port = self.server.server_address
        with self.logs.lock:
            for name in names or ():
                if may_create:
                    self.logs.create(name)
            known = {name: len(logs) for name, logs in self.logs.topics.items()}
        if version >= 3:
            writer.number("i", 0)
        writer.array([0], lambda _: writer.number("i", NODE).text(host).number("i", port).text(None))
        if version >= 2:
            writer.text("test")
        writer.number("i", NODE)

        def topic(name):
            writer.number("h", NONE if name in known else UNKNOWN_TOPIC).text(name).number("b", 0)
            writer.array(
                range(known.get(name, 0)), lambda one: writer.numbers("hiiiiii", 0, one, NODE, 1, NODE, 1, NODE)
            )

        writer.array(sorted(known) if names is None else names, topic)

    def create_topics(self, reader, writer, version):
        def topic():
            name, count, _ = reader.text(), reader.number("i"), reader.number("h")
            reader.array(lambda: (reader.number("i"), reader.array(lambda: reader.number("i"))))
            reader.array(lambda: (reader.text(), reader.text()))
            return name, count

        topics = reader.array(topic)
        with self.logs.lock:
            for name, count in topics:
                self.logs.create(name, count)
        writer.number("i", 0).array(topics, lambda one: writer.text(one[0]).number("h", NONE).text(None))

    def create_partitions(self, reader, writer, version):
        def topic():
            name, count = reader.text(), reader.number("i")
            reader.array(lambda: reader.array(lambda: reader.number("i")))
            return name, count

        topics = reader.array(topic)
        with self.logs.lock:
            for name, count in topics:
                self.logs.create(name, count)
        writer.number("i", 0).array(topics, lambda one: writer.text(one[0]).number("h", NONE).text(None))

    def delete_records(self, reader, writer, version):
        topics = reader.by_topic(lambda: (reader.number("i"), reader.number("q")))
        with self.logs.lock:
            for name, places in topics:
                for number, offset in places:
                    self.logs.truncate(name, number, offset)
        writer.number("i", 0)
        writer.by_topic(topics, lambda one: writer.numbers("iqh", one[0], one[1], NONE))

    def produce(self, reader, writer, version):
        name = reader.text()
        reader.raw(6)
        topics = reader.by_topic(lambda: (reader.number("i"), reader.block()))
        with self.logs.lock:
            done = [
                (topic, [(number, *self.logs.produce(name, topic, number, data)) for number, data in places])
                for topic, places in topics
            ]
        writer.by_topic(done, lambda one: writer.numbers("ihqq", *one, -1)).number("i", 0)

    def fetch(self, reader, writer, version):
        reader.number("i")
        wait, _, _ = (reader.number("i") for _ in range(3))
        isolation = reader.number("b")
        topics = reader.by_topic(lambda: (reader.number("i"), reader.number("q"), reader.number("i")))
        found = []

        def look():
            found[:] = [
                (topic, [(number, *self.logs.fetch(topic, number, offset, size, isolation))
                         for number, offset, size in places])
                for topic, places in topics
            ]  # fmt: skip
            return any(one[1] or one[5] for _, places in found for one in places)

        with self.logs.lock:
            self.logs.changed.wait_for(look, wait / 1000)

        def place(one):
            number, error, end, stable, aborted, data = one
            writer.numbers("ihqq", number, error, end, stable)
            writer.array(aborted, lambda pair: writer.numbers("qq", *pair)).block(data)

        writer.number("i", 0).by_topic(found, place)

    def list_offsets(self, reader, writer, version):
        reader.number("i")
        isolation = reader.number("b") if version >= 2 else 0
        topics = reader.by_topic(lambda: (reader.number("i"), reader.number("q")))
        if version >= 2:
            writer.number("i", 0)
        with self.logs.lock:
            found = [
                (topic, [(number, *self.logs.offset_at(topic, number, stamp, isolation)) for number, stamp in places])
                for topic, places in topics
            ]
        writer.by_topic(found, lambda one: writer.numbers("ihqq", *one))

    def find_coordinator(self, reader, writer, version):
        host, port = self.server.server_address
        if version >= 1:
            writer.number("i", 0)
        writer.number("h", NONE)
        if version >= 1:
            writer.text(None)
        writer.number("i", NODE).text(host).number("i", port)

    def offset_commit(self, reader, writer, version):
        group = reader.text()
        reader.number("i"), reader.text(), reader.number("q")
        topics = reader.by_topic(lambda: (reader.number("i"), reader.number("q"), reader.text()))
        with self.logs.lock:
            self.logs.groups.setdefault(group, {}).update(flat(topics))
        writer.by_topic(topics, lambda one: writer.numbers("ih", one[0], NONE))

    def offset_fetch(self, reader, writer, version):
        group = reader.text()
        topics = reader.by_topic(lambda: reader.number("i"))
        with self.logs.lock:
            known = dict(self.logs.groups.get(group, {}))

        def place(one):
            offset, metadata = known.get(one, (-1, None))
            writer.numbers("iq", one[1], offset).text(metadata).number("h", NONE)

        writer.by_topic([(topic, [(topic, number) for number in numbers]) for topic, numbers in topics], place)

    # Transactions

    def init_producer(self, reader, writer, version):
        with self.logs.lock:
            writer.numbers("ihqh", 0, NONE, *self.logs.init_producer(reader.text()))

    def add_partitions(self, reader, writer, version):
        with self.logs.lock:
            transaction, error = self.logs.transaction(reader.text(), reader.number("q"), reader.number("h"))
            topics = reader.by_topic(lambda: reader.number("i"))
            if not error:
                transaction.begun = True
                transaction.partitions |= {(topic, number) for topic, numbers in topics for number in numbers}
        writer.number("i", 0).by_topic(topics, lambda number: writer.numbers("ih", number, error))

    def add_offsets(self, reader, writer, version):
        with self.logs.lock:
            _, error = self.logs.transaction(reader.text(), reader.number("q"), reader.number("h"))
        writer.numbers("ih", 0, error)

    def txn_offset_commit(self, reader, writer, version):
        name, group = reader.text(), reader.text()
        with self.logs.lock:
            transaction, error = self.logs.transaction(name, reader.number("q"), reader.number("h"))
            topics = reader.by_topic(lambda: (reader.number("i"), reader.number("q"), reader.text()))
            if not error:
                transaction.offsets.setdefault(group, {}).update(flat(topics))
        writer.number("i", 0).by_topic(topics, lambda one: writer.numbers("ih", one[0], error))

    def end_txn(self, reader, writer, version):
        with self.logs.lock:
            transaction, error = self.logs.transaction(reader.text(), reader.number("q"), reader.number("h"))
            if not error:
                self.logs.finish(transaction, committed=bool(reader.number("b")))
        writer.numbers("ih", 0, error)

    HANDLERS = {  # noqa: RUF012 - never changed
        0: produce, 1: fetch, 2: list_offsets, 3: metadata, 8: offset_commit, 9: offset_fetch, 10: find_coordinator,
        18: api_versions, 19: create_topics, 21: delete_records, 22: init_producer, 24: add_partitions, 25: add_offsets,
        26: end_txn, 28: txn_offset_commit, 37: create_partitions,
    }  # fmt: skip


def flat(topics):
    return {(topic, number): (offset, metadata) for topic, places in topics for number, offset, metadata in places}


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, partitions=2, port=0):
        self.logs = Logs(int(partitions))
        super().__init__(("127.0.0.1", int(port)), Connection)


def main():
    server = Server(*sys.argv[1:])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write("{}:{}\n".format(*server.server_address))
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
