"""A case as a window operation of PyFlink. Elements are the texts of Steps.java."""

from __future__ import annotations

import json

from pyflink.common import Time, Types
from pyflink.datastream import DataStream, OutputTag
from pyflink.datastream.functions import AggregateFunction, ProcessWindowFunction, ReduceFunction
from pyflink.datastream.window import (
    ContinuousEventTimeTrigger,
    CountSlidingWindowAssigner,
    CountTrigger,
    CountTumblingWindowAssigner,
    EventTimeSessionWindows,
    EventTimeTrigger,
    GlobalWindows,
    NeverTrigger,
    PurgingTrigger,
    SessionWindowTimeGapExtractor,
    SlidingEventTimeWindows,
    TimeWindow,
    TumblingEventTimeWindows,
)

LATE = OutputTag("late", Types.STRING())


def branch(elements, question):
    """Return the results of a case, and its late elements if they are asked for, as Java streams."""
    keyed = DataStream(elements).key_by(key_of, Types.STRING())
    windowed = keyed.window(assigner_of(**question["window"])).allowed_lateness(question["allowed_lateness"])
    if question["trigger"] is not None:
        windowed = windowed.trigger(trigger_of(*question["trigger"]))
    if question["side_output"]:
        windowed = windowed.side_output_late_data(LATE)
    aggregate = question["aggregate"]
    tell = Tell(question["number"], aggregate)
    if aggregate == "list":
        results = windowed.process(tell, Types.STRING())
    elif aggregate == "reduce":
        results = windowed.reduce(SumElements(), tell, Types.STRING())
    else:
        results = windowed.aggregate(AGGREGATES[aggregate](), tell, output_type=Types.STRING())
    streams = [results, results.get_side_output(LATE)] if question["side_output"] else [results]
    return [stream._j_data_stream for stream in streams]


def assigner_of(kind, **sizes):
    if kind == "count":
        size, slide = sizes["size"], sizes["slide"]
        return CountTumblingWindowAssigner.of(size) if slide is None else CountSlidingWindowAssigner.of(size, slide)
    if kind == "session" and sizes["gap"] is None:
        return EventTimeSessionWindows.with_dynamic_gap(ByValue())
    times = {name: Time.milliseconds(size) for name, size in sizes.items()}
    if kind == "session":
        return EventTimeSessionWindows.with_gap(times["gap"])
    if kind == "tumbling":
        return TumblingEventTimeWindows.of(times["size"], times["offset"])
    if kind == "sliding":
        return SlidingEventTimeWindows.of(times["size"], times["slide"], times["offset"])
    return GlobalWindows.create()


def trigger_of(kind, value=None):
    if kind == "purging":
        return PurgingTrigger.of(trigger_of(*value))
    if kind == "count":
        return CountTrigger.of(value)
    if kind == "continuous event time":
        return ContinuousEventTimeTrigger.of(Time.milliseconds(value))
    return EventTimeTrigger.create() if kind == "event time" else NeverTrigger()


def key_of(element):
    return element.split(" ")[3]


def value_of(element):
    return int(element.split(" ")[4])


class ByValue(SessionWindowTimeGapExtractor):
    def extract(self, element):
        return value_of(element)


class Tell(ProcessWindowFunction):
    """Hands on what the window holds, as JSON, with case, key, window, and the watermark of that moment."""

    def __init__(self, number, holds):
        self.number = number
        self.holds = holds

    def process(self, key, context, elements):
        window = context.window()
        elements = list(elements)
        if self.holds == "list":
            result = [value_of(element) for element in elements]
        else:
            result = value_of(elements[0]) if self.holds == "reduce" else elements[0]
        bounds = [window.start, window.end] if isinstance(window, TimeWindow) else None
        told = {"case": self.number, "key": key, "result": result, "bounds": bounds}
        yield json.dumps(told | {"watermark": context.current_watermark()})

    def clear(self, context):
        pass


class SumElements(ReduceFunction):
    def reduce(self, value1, value2):
        _, _, number, key, _ = value1.split(" ")
        return f"element 0 {number} {key} {value_of(value1) + value_of(value2)}"


class Sum(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + value_of(value)

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


class Count(Sum):
    def add(self, value, accumulator):
        return accumulator + 1


class Max(Sum):
    def create_accumulator(self):
        return float("-inf")

    def add(self, value, accumulator):
        return max(accumulator, value_of(value))

    def merge(self, acc_a, acc_b):
        return max(acc_a, acc_b)


class Mean(Sum):
    def create_accumulator(self):
        return [0, 0]

    def add(self, value, accumulator):
        return [accumulator[0] + value_of(value), accumulator[1] + 1]

    def get_result(self, accumulator):
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a, acc_b):
        return [acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]]


AGGREGATES = {"sum": Sum, "count": Count, "max": Max, "mean": Mean}
