"""Built-in aggregates, for ``window(...).aggregate([...])``.

>>> from flott.common import Duration, Types
>>> from flott.datastream import StreamExecutionEnvironment
>>> from flott.datastream.window import TumblingEventTimeWindows
>>> env = StreamExecutionEnvironment.get_execution_environment()
>>> order = Types.ROW_NAMED(["user", "amount"], [Types.STRING(), Types.LONG()])
>>> orders = env.from_collection([("ann", 3), ("bob", 5)], order)
>>> minutes = orders.key_by("user").window(TumblingEventTimeWindows.of(Duration.of_minutes(1)))
>>> minutes.aggregate([Count(), Sum("amount"), Max("amount", name="largest")]).get_type()
RowTypeInfo(user: String, window_start: Long, window_end: Long, count: Long, sum_amount: Long, largest: Long)

A stream that is keyed by the name of a field, whose type says what its fields are, is aggregated in columns (Arrow)
before and behind the exchange when its windows are tumbling, sliding, cumulative or session windows (with a fixed gap)
of event time, with their own trigger. Everything else is aggregated record by record, with the same results, but for
three things in columns: a window, other than a session, that fires again for late records does so once for all that
come together, not once for each; a record at the very next moment after a watermark belongs to the session that ends
there, as if it had come before; and a sum of whole numbers that leaves 64 bits is an error.
"""

from __future__ import annotations

from flott.runtime.windowing.vectorised.aggregates import Aggregate, Avg, Count, Max, Min, Sum

__all__ = ["Aggregate", "Avg", "Count", "Max", "Min", "Sum"]
