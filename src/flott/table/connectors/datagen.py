"""Tables of made-up rows: each value depends only on the row's number, so that a row can be made again."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.generator_functions import GeneratorFunction
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.table import types as t
from flott.table.arrow_types import to_arrow_type
from flott.table.connectors.registry import TableSource
from flott.table.errors import TableError
from flott.table.runtime.changes import pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.columns import ColumnBatch
    from flott.table.catalog import CatalogTable
    from flott.table.connectors.options import Options
    from flott.table.plan.nodes import Field

DEFAULT_RATE = 10_000
DEFAULT_LENGTH = 100
LETTERS = np.frombuffer(b"0123456789abcdef", np.uint8)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def random_bits(index: Any, seed: int) -> Any:
    """Return 64 bits that look random for each number, the same every time.

    >>> random_bits(np.array([1, 1, 2]), 7).tolist()[0] == random_bits(np.array([1]), 7).tolist()[0]
    True
    """
    with np.errstate(over="ignore"):
        bits = (index.astype(np.uint64) + np.uint64(seed) * np.uint64(1_000_003)) * GOLDEN
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return bits ^ (bits >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class Column:
    """How the values of a column are made."""

    kind: Any
    make: Callable[[Any], Any]


class RowGenerator(GeneratorFunction):
    """Makes rows in columns."""

    def __init__(self, columns: list[Column]) -> None:
        self.columns = columns

    def map(self, value: int) -> Any:
        """Make one row."""
        return self.map_columns(value, value + 1).values[0]

    def map_columns(self, start: int, stop: int) -> ColumnBatch:
        """Make the rows of a range of numbers."""
        index = np.arange(start, stop, dtype=np.int64)
        return pack([pa.array(column.make(index), column.kind) for column in self.columns], None)


def source(options: Options, fields: tuple[Field, ...], table: CatalogTable) -> TableSource:
    """Return what makes rows."""
    rate = options.number("rows-per-second", DEFAULT_RATE)
    count = options.whole("number-of-rows")
    columns, ends = [], []
    for place, field in enumerate(fields):
        make, end = _maker(options, field, place)
        columns.append(Column(_stored(field.type), make))
        if end is not None:
            ends.append(end)
    if ends:
        count = min([*ends, *([] if count is None else [count])])
    limit = RateLimiterStrategy.no_op() if not rate or rate <= 0 else RateLimiterStrategy.per_second(rate)
    generator = DataGeneratorSource(RowGenerator(columns), count, limit)

    def stream(environment: Any) -> Any:
        from flott.common.watermark_strategy import WatermarkStrategy

        return environment.from_source(generator, WatermarkStrategy.no_watermarks(), f"datagen: {options.table}")

    return TableSource(stream, columnar=True)


def _stored(kind: t.DataType) -> Any:
    return to_arrow_type(kind)


def _maker(options: Options, field: Field, place: int) -> tuple[Callable[[Any], Any], int | None]:
    """Return how the values of a column are made, and after how many rows they end."""
    prefix = f"fields.{field.name}"
    how = options.text(f"{prefix}.kind", "random")
    kind = field.type
    if how == "sequence":
        start, end = options.whole(f"{prefix}.start"), options.whole(f"{prefix}.end")
        if start is None or end is None:
            raise TableError(f"table '{options.table}': a sequence needs '{prefix}.start' and '{prefix}.end'")
        if not isinstance(kind, t.NumericType):
            raise TableError(f"table '{options.table}': only numbers can be a sequence, not {kind!r} ('{prefix}.kind')")
        return (lambda index: index + start), end - start + 1
    if how != "random":
        raise TableError(f"table '{options.table}': '{prefix}.kind' is random or sequence, not '{how}'")
    return _random(options, field, prefix, place + 1), None


def _random(options: Options, field: Field, prefix: str, seed: int) -> Callable[[Any], Any]:
    kind = field.type
    if isinstance(kind, t.IntegralType):
        least, most = -(2 ** (kind.bits - 1)), 2 ** (kind.bits - 1) - 1
        low, high = options.whole(f"{prefix}.min", least), options.whole(f"{prefix}.max", most)
        span = (high or 0) - (low or 0) + 1
        return lambda index: (random_bits(index, seed) % np.uint64(min(span, 2**64 - 1))).astype(np.int64) + low
    if isinstance(kind, (t.DoubleType, t.FloatType)):
        bottom, top = options.number(f"{prefix}.min", 0.0) or 0.0, options.number(f"{prefix}.max", 1.0) or 1.0
        return lambda index: bottom + (random_bits(index, seed) >> np.uint64(11)) / 2**53 * (top - bottom)
    if t.is_text(kind):
        declared = kind.length if kind.length != t.MAX_LENGTH else DEFAULT_LENGTH  # type: ignore[attr-defined]
        length = options.whole(f"{prefix}.length", declared) or declared
        return lambda index: _texts(index, seed, length)
    if isinstance(kind, t.BooleanType):
        return lambda index: (random_bits(index, seed) & np.uint64(1)).astype(bool)
    if t.is_timestamp(kind):
        past = options.whole(f"{prefix}.max-past", 0) or 0
        begun = time.time_ns() // 1_000_000  # fixed here, so that a row made again is the same
        return lambda index: (begun + index - _past(index, seed, past)) * 1000
    raise TableError(
        f"table '{options.table}': datagen can't make {kind!r} (column '{field.name}'); CAST a number or text in a view"
    )


def _past(index: Any, seed: int, most: int) -> Any:
    return (random_bits(index, seed) % np.uint64(most + 1)).astype(np.int64) if most else 0


def _texts(index: Any, seed: int, length: int) -> list[str]:
    blocks = -(-length // 16)
    digits = np.empty((len(index), blocks * 16), np.uint8)
    for block in range(blocks):
        bits = random_bits(index, seed * 1000 + block)
        for place in range(16):
            digits[:, block * 16 + place] = LETTERS[(bits >> np.uint64(4 * place)).astype(np.uint8) & 15]
    return [row.tobytes().decode() for row in np.ascontiguousarray(digits[:, :length])]
