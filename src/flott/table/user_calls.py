"""Calls of the user's scalar functions, for whole columns."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.emission import emission
from flott.table.python_values import column_from_python, to_python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.table.expr import UserCall

CONCURRENT = 10
"""So many calls of an asynchronous function wait at once, as Flink has it by default."""


def call_user_function(call: UserCall, args: list[Any], length: int, kind: Any) -> Any:
    """Return the column of what a user's function gives: row by row, or for pandas series as a whole."""
    function = call.function
    try:
        if function.func_type == "pandas":
            made = function.evaluator()(*(arg.to_pandas() for arg in args))
            return _of_series(made, length, kind)
        evaluate = function.evaluator()
        rows = rows_of_arguments(call, args, length)
        if function.func_type == "async":
            values = _awaited(evaluate, rows)
        else:
            # As it is when the function returns it: it may change the same object for the next row.
            emitted = emission(object_reuse=False).one
            values = [emitted(evaluate(*row)) for row in rows]
    except USER_CODE_RAISES as error:
        raise FlottError(f"function {call.name}: {type(error).__name__}: {error}") from error
    try:
        return column_from_python(list(values), call.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise FlottError(
            f"function {call.name} returned something that is no {call.type.nullable()!r}: {error}; "
            f"declare what it returns as result_type"
        ) from None


def _of_series(made: Any, length: int, kind: Any) -> Any:
    """Return what a function of whole series gave as a column: a value for each row."""
    import numpy as np
    import pandas as pd

    if not isinstance(made, (pd.Series, pd.DataFrame, np.ndarray)):
        raise TypeError(
            f"the result of a function with func_type='pandas' must be a pandas.Series, got {type(made).__name__}"
        )
    if len(made) != length:
        raise ValueError(f"the result length '{len(made)}' is not equal to the input length '{length}'")
    if isinstance(made, pd.DataFrame):
        made = pd.Series(made.to_dict("records"), dtype=object)
    return pa.Array.from_pandas(made, type=kind)


def rows_of_arguments(call: UserCall, args: list[Any], length: int) -> Iterable[tuple[Any, ...]]:
    """Return the arguments of a call, row by row."""
    columns = [to_python(arg, expr.type) for arg, expr in zip(args, call.args, strict=True)]
    return zip(*columns, strict=True) if columns else [()] * length


def _awaited(evaluate: Callable[..., Any], rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return the results of an asynchronous function in the order of the rows, some of which wait at once."""
    emitted = emission(object_reuse=False).one

    async def all_rows() -> list[Any]:
        free = asyncio.Semaphore(CONCURRENT)

        async def one(row: tuple[Any, ...]) -> Any:
            async with free:
                return emitted(await evaluate(*row))

        return await asyncio.gather(*map(one, rows))

    return asyncio.run(all_rows())
