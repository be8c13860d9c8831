"""Kafka's wire format, as far as the test broker needs it: numbers, text, arrays, and record batches."""

from __future__ import annotations

import struct

BATCH = struct.Struct(">qiibIhiqqqhii")
"""Base offset, length, leader epoch, magic, checksum, attributes, last delta, first and last time, producer, epoch,
sequence, count."""
BEFORE_CHECKSUM = 21
TRANSACTIONAL, CONTROL = 0x10, 0x20


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        [value] = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(f">{form}")
        return value

    def raw(self, size):
        value = self.data[self.at : self.at + size]
        self.at += size
        return value

    def text(self):
        size = self.number("h")
        return None if size < 0 else self.raw(size).decode()

    def block(self):
        size = self.number("i")
        return None if size < 0 else self.raw(size)

    def array(self, item):
        size = self.number("i")
        return None if size < 0 else [item() for _ in range(size)]

    def by_topic(self, item):
        """Read an array of topics, each with an array of partitions."""
        return [(name, items) for name, items in self.array(lambda: (self.text(), self.array(item))) or []]


class Writer:
    def __init__(self):
        self.parts = []

    def number(self, form, value):
        self.parts.append(struct.pack(f">{form}", value))
        return self

    def numbers(self, form, *values):
        self.parts.append(struct.pack(f">{form}", *values))
        return self

    def text(self, value):
        if value is None:
            return self.number("h", -1)
        data = value.encode()
        self.number("h", len(data)).parts.append(data)
        return self

    def block(self, value):
        self.number("i", len(value)).parts.append(value)
        return self

    def array(self, values, item):
        self.number("i", len(values))
        for value in values:
            item(value)
        return self

    def by_topic(self, topics, item):
        """Write an array of topics, each with an array of partitions."""
        return self.array(topics, lambda topic: self.text(topic[0]).array(topic[1], item))

    def data(self):
        return b"".join(self.parts)


class StoredBatch:
    """A record batch in the log; its checksum does not cover the offset, so that is written in."""

    def __init__(self, data, base):
        self.data = struct.pack(">q", base) + data[8:]
        fields = BATCH.unpack_from(self.data)
        self.base = base
        self.attributes, delta = fields[5], fields[6]
        self.end = base + delta + 1
        self.max_time = fields[8]
        self.producer, self.epoch, self.sequence, self.count = fields[9:13]

    @property
    def transactional(self):
        return bool(self.attributes & TRANSACTIONAL)


def split_batches(data):
    """Cut what a produce request brings into batches."""
    at = 0
    while at < len(data):
        [length] = struct.unpack_from(">i", data, at + 8)
        yield data[at : at + 12 + length]
        at += 12 + length


def end_marker(producer, epoch, *, committed):
    """Return the control batch that ends a transaction in a partition."""
    key, value = struct.pack(">hh", 0, int(committed)), struct.pack(">hi", 0, 0)
    record = b"".join((b"\x00", varint(0), varint(0), varint(len(key)), key, varint(len(value)), value, varint(0)))
    body = varint(len(record)) + record
    rest = struct.pack(">hiqqqhii", TRANSACTIONAL | CONTROL, 0, 0, 0, producer, epoch, -1, 1) + body
    return struct.pack(">qiibI", 0, len(rest) + 9, 0, 2, crc32c(rest)) + rest


def varint(value):
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _table():
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


TABLE = _table()


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value = TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF
