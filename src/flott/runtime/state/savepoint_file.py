"""Keyed state as Parquet: one row per entry, exact for the restore and readable for people and pandas."""

from __future__ import annotations

import io
import json
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq

from flott.errors import StateStoreError
from flott.runtime.keys import decode_key
from flott.runtime.state.address_layout import COLUMN, group_in, key_end, key_in, time_in, without_time

if TYPE_CHECKING:
    from collections.abc import Iterable

SUFFIX = ".parquet"
FORMAT = "1"
TIMERS = "timers"
VERSION_KEY, TOKEN_KEY, CHECKSUM_KEY = b"flott.format", b"flott.token", b"flott.checksum"

SCHEMA = pa.schema(
    [
        ("operator_id", pa.string()),
        ("state", pa.string()),
        ("kind", pa.string()),
        ("key_group", pa.int32()),
        ("key", pa.string()),
        ("value", pa.string()),
        ("address", pa.binary()),
        ("entry", pa.binary()),
    ]
)
"""``key`` and ``value`` are JSON where a value has such a form, else what ``repr`` gives; the last two are exact."""


@dataclass(frozen=True, slots=True)
class StateColumn:
    """What stands behind four bytes of an address: a state of an operator."""

    operator_id: str
    name: str
    kind: str
    schema: str = ""
    """The type it was declared with, as JSON; empty: not known."""


def encode_savepoint(entries: Iterable[tuple[bytes, bytes]], columns: dict[bytes, StateColumn], token: str) -> bytes:
    """Write entries of a store as a Parquet file."""
    rows: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
    checksum = 0
    for address, entry in entries:
        column = columns.get(address[COLUMN])
        rows["operator_id"].append(column and column.operator_id)
        rows["state"].append(column and column.name)
        rows["kind"].append(column and column.kind)
        rows["key_group"].append(group_in(address))
        key, value = timer_text(address) if column and column.kind == TIMERS else entry_text(address, entry)
        rows["key"].append(key)
        rows["value"].append(value)
        rows["address"].append(address)
        rows["entry"].append(entry)
        checksum = crc32(entry, crc32(address, checksum))
    described = SCHEMA.with_metadata(
        {VERSION_KEY: FORMAT.encode(), TOKEN_KEY: token.encode(), CHECKSUM_KEY: str(checksum).encode()}
    )
    sink = io.BytesIO()
    pq.write_table(pa.table(rows, schema=described), sink, compression="zstd")
    return sink.getvalue()


def decode_savepoint(data: bytes, name: str) -> tuple[str, list[bytes], list[bytes | None]]:
    """Read the entries of a file back; a half-written or altered one is refused."""
    try:
        table = pq.read_table(io.BytesIO(data), columns=["address", "entry"])
    except (pa.ArrowException, OSError) as error:
        message = f"{name} is damaged: it can't be read as Parquet ({error})"
        raise StateStoreError(message) from error
    described = table.schema.metadata or {}
    if described.get(VERSION_KEY) != FORMAT.encode():
        message = f"{name} is not a savepoint file of this version"
        raise StateStoreError(message)
    addresses: list[bytes] = table.column("address").to_pylist()
    entries: list[bytes | None] = table.column("entry").to_pylist()
    checksum = 0
    for address, entry in zip(addresses, entries, strict=True):
        checksum = crc32(entry or b"", crc32(address, checksum))
    if str(checksum).encode() != described.get(CHECKSUM_KEY):
        message = f"{name} is damaged: its checksum does not match (altered, {len(data)} bytes)"
        raise StateStoreError(message)
    return described[TOKEN_KEY].decode(), addresses, entries


def entry_text(address: bytes, entry: bytes) -> tuple[str | None, str | None]:
    """Return key and value of an entry for people."""
    return key_text(address), value_text(entry)


def timer_text(address: bytes) -> tuple[str | None, str | None]:
    """Return the key and the moment of a timer for people; the address has the moment before the key."""
    return key_text(without_time(address)), str(time_in(address))


def key_text(address: bytes) -> str | None:
    """Return the key of an entry for people; None where the address holds none, or only the beginning of a long one."""
    encoded = key_in(address)
    if not encoded or len(address) < key_end(address):
        return None
    try:
        return text_of(decode_key(encoded))
    except Exception:  # noqa: BLE001 - a column of the savepoint that only people read
        return None


def value_text(entry: bytes) -> str | None:
    """Return the value of an entry for people."""
    try:
        return text_of(pickle.loads(entry))
    except Exception:  # noqa: BLE001 - not every entry is a pickled value; a timer is not
        return None


def text_of(value: Any) -> str:
    """Return a value as JSON, or as Python writes it.

    >>> text_of({"a": [1, None]}), text_of(1 + 2j)
    ('{"a": [1, null]}', '(1+2j)')
    """
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)
