"""Interval joins: pairs of records of one key whose times are near each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from flott.common.time import to_milliseconds
from flott.datastream._checks.join_roles import PROCESS_JOIN
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.keyed import KeyedStream
from flott.datastream.data_stream.two_input_step import apply_to_both
from flott.errors import GraphError
from flott.runtime.operators.interval_join import Interval
from flott.runtime.operators.interval_join import IntervalJoin as IntervalJoinOperator
from flott.runtime.output_tag import OutputTag

if TYPE_CHECKING:
    from typing import NoReturn

    from typing_extensions import Self

    from flott.common.time import TimeInterval
    from flott.datastream.data_stream.stream import DataStream, DeclaredType
    from flott.datastream.functions.join import ProcessJoinFunction

__all__ = ["IntervalJoin", "IntervalJoined"]


class IntervalJoin:
    """Two keyed streams that are going to be joined: what ``interval_join`` returns."""

    def __init__(self, left: KeyedStream, right: KeyedStream) -> None:
        if not isinstance(right, KeyedStream):
            raise GraphError(
                f"interval_join(...): {right!r:.100} is no keyed stream, and both must be keyed: "
                "a.key_by(key_of_a).interval_join(b.key_by(key_of_b))"
            )
        self._left = left
        self._right = right

    def in_event_time(self) -> Self:
        """Joins by the timestamps of the records, as it always does."""
        return self

    def in_processing_time(self) -> NoReturn:
        """Refuses: without timestamps it would be chance which records meet."""
        raise GraphError(
            "in_processing_time(): interval joins go by event time only; assign timestamps to both streams"
        )

    def between(self, lower_bound: TimeInterval, upper_bound: TimeInterval) -> IntervalJoined:
        """Lets a left record meet the right ones from its time plus ``lower_bound`` to its time plus ``upper_bound``.

        Args:
            lower_bound: From when on, relative to the left record; may be negative.
            upper_bound: Until when, relative to the left record; may be negative.
        """
        lower, upper = to_milliseconds(lower_bound), to_milliseconds(upper_bound)
        if lower > upper:
            raise GraphError(
                f"between({lower_bound}, {upper_bound}): the lower bound comes first, and is not above the upper one"
            )
        return IntervalJoined(self._left, self._right, Interval(lower, upper))


class IntervalJoined:
    """An interval join, until one says what becomes of the pairs: what ``between`` returns.

    >>> from flott.common import Duration
    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> orders, payments = env.from_collection([("o1", 5)]), env.from_collection([("o1", 5)])
    >>> keyed = orders.key_by(lambda order: order[0]).interval_join(payments.key_by(lambda payment: payment[0]))
    >>> joined = keyed.between(Duration.of_seconds(0), Duration.of_minutes(5)).upper_bound_exclusive()
    >>> _ = joined.process(Paid())  # doctest: +SKIP
    """

    def __init__(self, left: KeyedStream, right: KeyedStream, interval: Interval) -> None:
        self._left = left
        self._right = right
        self._interval = interval
        self._lower_exclusive = self._upper_exclusive = False

    def lower_bound_exclusive(self) -> Self:
        """Leaves out the lower bound itself."""
        self._lower_exclusive = True
        return self

    def upper_bound_exclusive(self) -> Self:
        """Leaves out the upper bound itself."""
        self._upper_exclusive = True
        return self

    def left_outer(self) -> Self:
        """Hands on left records that met none, with None, when event time has passed their interval."""
        self._interval = replace(self._interval, keep_left=True)
        return self

    def right_outer(self) -> Self:
        """Hands on right records that met none, with None, when event time has passed their interval."""
        self._interval = replace(self._interval, keep_right=True)
        return self

    def full_outer(self) -> Self:
        """Hands on the records of both streams that met none, with None."""
        return self.left_outer().right_outer()

    def side_output_left_late_data(self, output_tag: OutputTag) -> Self:
        """Sends left records that come too late to a side output, instead of dropping them."""
        tag = _tag("side_output_left_late_data", output_tag)
        self._interval = replace(self._interval, late_left=tag)
        return self

    def side_output_right_late_data(self, output_tag: OutputTag) -> Self:
        """Sends right records that come too late to a side output, instead of dropping them."""
        tag = _tag("side_output_right_late_data", output_tag)
        self._interval = replace(self._interval, late_right=tag)
        return self

    def process(
        self, process_join_function: ProcessJoinFunction, output_type: DeclaredType | None = None
    ) -> DataStream:
        """Calls a ProcessJoinFunction for each pair that meets."""
        call = "interval_join(...).process(...)"
        function = PROCESS_JOIN.take(call, process_join_function)
        lower = self._interval.lower + self._lower_exclusive
        upper = self._interval.upper - self._upper_exclusive
        if lower > upper:
            raise GraphError(f"{call}: without its bounds the interval is empty, so no two records would ever meet")
        left, right = self._left, self._right
        interval = replace(self._interval, lower=lower, upper=upper)
        operator = IntervalJoinOperator(function, left.get_key_selector(), right.get_key_selector(), interval)
        return apply_to_both(left, right, "Interval Join", operator, declared(call, output_type), keyed=(True, True))


def _tag(call: str, tag: OutputTag) -> OutputTag:
    if not isinstance(tag, OutputTag):
        raise GraphError(f"{call}({tag!r}): give the OutputTag, as in OutputTag('late')")
    return tag
