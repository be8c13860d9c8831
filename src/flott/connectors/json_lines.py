"""Files of JSON, an object on each line: read in columns, many lines at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import json as pa_json

from flott.connectors.arrow_rows import columns_as_text, row_type_of
from flott.connectors.file_errors import first_wrong_line
from flott.connectors.file_range import FileRange
from flott.connectors.file_source import StreamFormat
from flott.connectors.line_numbers import LineNumbers
from flott.connectors.text_lines import PIECE, is_utf8
from flott.errors import FlottError
from flott.runtime.columns import ColumnBatch, RecordShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.connectors.file_source import Blocks
    from flott.runtime.batch import Batch
    from flott.runtime.source import SplitRead


@dataclass(frozen=True)
class JsonLines(StreamFormat):
    """The objects on the lines of files, as rows with these fields; others are left out, missing ones are None."""

    schema: Any

    def get_produced_type(self) -> TypeInformation:
        return row_type_of(self.schema)

    def read(self, read: SplitRead, blocks: Blocks) -> Iterator[Batch]:
        shape = RecordShape(tuple(self.schema.names))
        numbers = LineNumbers(read, self.charset)
        for block, charset in blocks(read):
            text = block if charset == "utf-8" else block.decode(charset, "replace").encode()
            if not text.strip():
                numbers.after(block)
                continue
            try:
                table = self._table(text)
            except pa.ArrowInvalid as error:
                number, line = first_wrong_line(text, self._table)
                path, place = FileRange.of(read.split).path, numbers.before_block() + number + 1
                raise FlottError(
                    f"'{path}': the line '{line}' is no JSON object with "
                    f"{columns_as_text(self.schema)}: {error}; it is line {place}"
                ) from error
            numbers.after(block)
            yield ColumnBatch(tuple(table.column(name).combine_chunks() for name in self.schema.names), shape)

    def _table(self, text: bytes) -> Any:
        if not is_utf8(text):
            raise pa.ArrowInvalid("bytes that are no UTF-8")  # Arrow would hand them on in strings
        options = pa_json.ParseOptions(explicit_schema=self.schema, unexpected_field_behavior="ignore")
        reading = pa_json.ReadOptions(use_threads=False, block_size=max(len(text) + 1, PIECE))
        return pa_json.read_json(pa.BufferReader(text), reading, options)
