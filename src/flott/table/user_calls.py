"""Calls of the user's scalar functions, for whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.errors import FlottError

if TYPE_CHECKING:
    from flott.table.expr import UserCall


def call_user_function(call: UserCall, args: list[Any], length: int, kind: Any) -> Any:
    """Return the column of what a user's function gives: row by row, or for pandas series as a whole."""
    function = call.function
    try:
        if function.func_type == "pandas":
            made = function.evaluator()(*(arg.to_pandas() for arg in args))
            return pa.Array.from_pandas(made, type=kind)
        evaluate = function.evaluator()
        columns = [arg.to_pylist() for arg in args]
        values = (
            [evaluate(*row) for row in zip(*columns, strict=True)] if columns else [evaluate() for _ in range(length)]
        )
    except Exception as error:
        raise FlottError(f"function {call.name}: {type(error).__name__}: {error}") from error
    try:
        return pa.array(values, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise FlottError(
            f"function {call.name} returned something that is no {call.type.nullable()!r}: {error}; "
            f"declare what it returns as result_type"
        ) from None
