"""The format of a table's rows, by its options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.connectors.file_formats import LineFormat
from flott.table.errors import TableError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.connectors.options import Options


def format_of(options: Options, known: Sequence[str]) -> LineFormat:
    """Return the format that the options name, which is one of those that the connector knows.

    >>> from flott.table.connectors.options import Options
    >>> format_of(Options("t", {"format": "csv", "csv.field-delimiter": ";"}), ["csv"]).delimiter
    ';'
    """
    name = options.text("format", required=True) or ""
    if name not in known:
        raise TableError(f"table '{options.table}': there is no format '{name}'{did_you_mean(name, known)}")
    if name == "csv":
        delimiter = options.text("csv.field-delimiter", ",") or ","
        null = options.text("csv.null-literal")
        return LineFormat("csv", delimiter, null, options.truth("csv.ignore-parse-errors"))
    if name == "json":
        return LineFormat("json", ignore_errors=options.truth("json.ignore-parse-errors"))
    return LineFormat(name)
