"""Aggregate functions of the user's, as the engine calls them."""

from __future__ import annotations

from typing import Any

from flott.runtime.operator import Operator
from flott.table.functions.aggregates import Aggregate
from flott.table.python_values import plain_from_python


def user_aggregate(user: Any) -> Aggregate:
    """Return how an AggregateFunction works on the values of its argument; several come as a tuple."""
    function = user.func

    def add(acc: list[Any], value: Any) -> None:
        function.accumulate(acc[0], *(value if isinstance(value, tuple) else (value,)))

    def retract(acc: list[Any], value: Any) -> None:
        function.retract(acc[0], *(value if isinstance(value, tuple) else (value,)))

    return Aggregate(
        lambda: [function.create_accumulator()],
        add,
        retract if user.retracts else None,
        lambda acc: plain_from_python(function.get_value(acc[0]), user.result_type),
    )


class UserAggregates(Operator):
    """Opens and closes the aggregate functions of the user's that the calls of a plan name."""

    plan: Any

    def open(self) -> None:
        for user in self._users():
            user.open(self.context)

    def close(self) -> None:
        for user in self._users():
            user.close()

    def _users(self) -> list[Any]:
        found = {id(call.user): call.user for call in self.plan.calls if call.user is not None}
        return list(found.values())
