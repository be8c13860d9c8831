"""Aggregate functions of the user's, as the engine calls them."""

from __future__ import annotations

from typing import Any

from flott.table.functions.aggregates import Aggregate


def user_aggregate(user: Any) -> Aggregate:
    """Return how an AggregateFunction works on the values of its argument; several come as a tuple."""
    function = user.func
    takes_back = getattr(type(function), "retract", None) is not None and user.retracts

    def add(acc: list[Any], value: Any) -> None:
        function.accumulate(acc[0], *(value if isinstance(value, tuple) else (value,)))

    def retract(acc: list[Any], value: Any) -> None:
        function.retract(acc[0], *(value if isinstance(value, tuple) else (value,)))

    return Aggregate(
        lambda: [function.create_accumulator()],
        add,
        retract if takes_back else None,
        lambda acc: function.get_value(acc[0]),
    )
