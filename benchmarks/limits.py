"""What a record costs at least: each step of its way on its own, in one process, without an engine around it.

    python benchmarks/limits.py [--spark]

The record is a pair of numbers; entries of state are values of 200 bytes, of a million keys. Every step runs a few
times and the quickest counts. With ``--spark``, also what Spark takes to move blocks of such records from one stage to
the next. What a whole job needs more than the sum of its steps is the engine's.
"""

from __future__ import annotations

import argparse
import gc
import marshal
import pickle
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from zlib import crc32

import lmdb
import numpy as np
import pyarrow as pa
from keyed_count import machine

from flott.datastream import KeyedProcessFunction
from flott.runtime import native
from flott.runtime.state.backend import KeyedBackend
from flott.runtime.state.cache_limits import CacheLimits
from flott.runtime.state.key_scope import KeyScope
from flott.runtime.state.live_values import LiveValues
from flott.runtime.state.point_log import PointLog
from flott.runtime.state.points import PointBatch

RECORDS, BLOCK, ROUNDS = 400_000, 4_096, 5
KEYS, SIZE = 1_000_000, 200
COLUMN = b"col1"


def nanoseconds(work: Callable[[], object], records: int = RECORDS) -> float:
    """Return what a record takes, in the quickest of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        gc.collect()
        gc.disable()
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
        gc.enable()
    return best / records * 1e9


def blocks(values: list) -> list[list]:
    return [values[start : start + BLOCK] for start in range(0, len(values), BLOCK)]


def calls() -> Iterator[tuple[str, float]]:
    counts: dict[int, int] = {}
    pairs = [(n * 7919 % 1_000, n) for n in range(RECORDS)]

    def count(value):
        number = counts.get(value[0], 0) + 1
        counts[value[0]] = number
        return value[0], number

    def counted(value):
        yield count(value)

    yield "a Python function that counts in a dict", nanoseconds(lambda: [count(pair) for pair in pairs])
    out: list = []
    yield "the same with `yield`, gathered", nanoseconds(lambda: [out.extend(counted(pair)) for pair in pairs])
    if native.calls is not None:
        yield "a keyed function with a value of state, compiled around it", nanoseconds(lambda: keyed(pairs))


class Counted(KeyedProcessFunction):
    def __init__(self, count: LiveValues) -> None:
        self.count = count

    def process_element(self, value, ctx):
        count = (self.count.current() or 0) + 1
        self.count.replace(count)
        yield value[0], count


class Absent(LiveValues):
    __slots__ = ()

    def _fetch(self, key):
        return None


def keyed(pairs: list) -> None:
    scope, ctx, out = KeyScope("limits"), SimpleNamespace(), []
    function, keys = Counted(Absent(scope)), [pair[0] for pair in pairs]
    native.calls.call_for_each(iter(pairs), keys, None, function.process_element, ctx, scope, out, None, out.extend)


def exchanges() -> Iterator[tuple[str, float]]:
    pairs = [(n * 7919 % 1_000, n) for n in range(RECORDS)]
    marshalled, pickled = ([dump(block) for block in blocks(pairs)] for dump in (marshal.dumps, dumped))
    yield "marshal a block", nanoseconds(lambda: [marshal.dumps(block) for block in blocks(pairs)])
    yield "unmarshal it", nanoseconds(lambda: [marshal.loads(block) for block in marshalled])  # noqa: S302
    yield "pickle a block", nanoseconds(lambda: [dumped(block) for block in blocks(pairs)])
    yield "unpickle it", nanoseconds(lambda: [pickle.loads(block) for block in pickled])
    column = np.arange(RECORDS)
    batch = pa.record_batch({"key": column, "value": column})
    written = ipc(batch)
    yield "write two columns as Arrow IPC", nanoseconds(lambda: ipc(batch))
    yield "read them back", nanoseconds(lambda: pa.ipc.open_stream(written).read_all())
    if native.records is not None:
        records, columns = native.records, [native.records.to_columns(block) for block in blocks(pairs)]
        yield "a block as columns, compiled", nanoseconds(lambda: [records.to_columns(one) for one in blocks(pairs)])
        yield "read it back", nanoseconds(lambda: [records.from_columns(one) for one in columns])
    if native.entries is not None:
        keys = [pair[0] for pair in pairs]
        deal = native.entries.scatter
        yield "deal records out by key, compiled", nanoseconds(lambda: deal(keys, 128, 2, pairs, None))


def dumped(block: list) -> bytes:
    return pickle.dumps(block, 5)


def ipc(batch: pa.RecordBatch) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def state(folder: Path) -> Iterator[tuple[str, float]]:
    order = list(range(KEYS))
    random.Random(7).shuffle(order)
    some, value = order[:RECORDS], b"x" * SIZE
    if native.entries is not None:
        log, written = PointLog(folder / "log"), dict.fromkeys(order, value)
        append(log, written)
        changed = dict.fromkeys(some, value)
        yield "find and unpickle, compiled", nanoseconds(lambda: log.fetch(COLUMN, some, 128, {}, {}))
        yield "pickle and lay out, compiled", nanoseconds(lambda: native.entries.lay_out(changed, COLUMN, 128, BLOCK))
        laid_out = native.entries.lay_out(changed, COLUMN, 128, BLOCK)[0]
        yield "change it in the log", nanoseconds(lambda: [log.append(batch) for batch in batches_of(laid_out)])
        data = b"".join(part for _, part in laid_out)
        yield "a checksum of what changed", nanoseconds(lambda: crc32(data))
        yield (
            "write it to a file (which the system keeps in memory)",
            nanoseconds(lambda: (folder / "delta").write_bytes(data)),
        )
    yield from in_lmdb(folder / "lmdb", order, some, value)


def append(log: PointLog, written: dict) -> None:
    for batch in batches_of(native.entries.lay_out(written, COLUMN, 128, BLOCK)[0]):
        log.append(batch)


def batches_of(laid_out: list[tuple[bytes, bytes]]) -> list[PointBatch]:
    return [PointBatch(np.frombuffer(starts, np.uint64), data) for starts, data in laid_out]


def in_lmdb(folder: Path, order: list[int], some: list[int], value: bytes) -> Iterator[tuple[str, float]]:
    backend = KeyedBackend("limits", "limits", range(128), 128, CacheLimits())
    env = lmdb.open(str(folder), map_size=4 << 30, sync=False, metasync=False, readahead=False)
    with env.begin(write=True) as txn, txn.cursor() as cursor:
        cursor.putmulti(sorted((address, value) for address in backend.addresses(COLUMN, order)))
    addresses = backend.addresses(COLUMN, some)

    def get() -> None:
        with env.begin() as txn:
            list(map(txn.get, addresses))

    def put() -> None:
        with env.begin(write=True) as txn, txn.cursor() as cursor:
            cursor.putmulti([(address, value) for address in sorted(addresses)])

    yield "find in LMDB (what is walked over)", nanoseconds(get)
    yield "sort and write to LMDB", nanoseconds(put)


def moved(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Emit blocks of records that are encoded already."""
    block = marshal.dumps([(n * 7919 % 1_000, n) for n in range(BLOCK)])
    for _ in batches:
        for number in range(64):
            yield pa.record_batch({"target": pa.array([number % 2], pa.int32()), "data": pa.array([block])})


def counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    count = sum(batch.num_rows for batch in batches)
    yield pa.record_batch({"blocks": pa.array([count])})


def on_spark() -> Iterator[tuple[str, float]]:
    from flott.common import Configuration
    from flott.spark.session import epoch_session

    configuration = Configuration()
    configuration.set_string("flott.spark.master", "local[2]")
    spark = epoch_session(configuration)

    def job() -> None:
        frame = spark.range(0, 2, 1, 2).mapInArrow(moved, "target int, data binary")
        frame.repartitionById(2, frame["target"]).mapInArrow(counted, "blocks long").collect()

    for _ in range(20):
        job()
    # Two cores share the work: what one of them pays.
    yield "Spark moves a block to the next stage, Python to Java to Python", 2 * nanoseconds(job, 2 * 64 * BLOCK)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spark", action="store_true", help="also what Spark takes to move blocks")
    options = parser.parse_args()
    compiled = "compiled parts: yes" if native.entries is not None else "compiled parts: no"
    print(f"{machine()}; {compiled}\n\n| step | ns for a record |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for steps in (calls(), exchanges(), state(Path(folder)), on_spark() if options.spark else ()):
            for step, took in steps:
                print(f"| {step} | {took:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
