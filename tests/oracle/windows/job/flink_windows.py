"""A case as a window operation of Flink's Java API, reached through the gateway of PyFlink: no Python runs in it."""

from __future__ import annotations

from java_classes import new
from pyflink.common import Types
from pyflink.java_gateway import get_gateway


def branch(elements, question):
    """Return the results of a case, and its late elements if they are asked for, as Java streams."""
    text = Types.STRING().get_java_type_info()
    functions = new("Functions")
    late = get_gateway().jvm.org.apache.flink.util.OutputTag("late", text)
    keyed = elements.keyBy(functions, text)
    windowed = keyed.window(assigner_of(functions, **question["window"])).allowedLateness(
        millis(question["allowed_lateness"])
    )
    if question["trigger"] is not None:
        windowed = windowed.trigger(trigger_of(functions, *question["trigger"]))
    if question["evictor"] is not None:
        windowed = windowed.evictor(evictor_of(functions, **question["evictor"]))
    if question["side_output"]:
        windowed = windowed.sideOutputLateData(late)
    aggregate = question["aggregate"]
    tell = new("Functions$Tell", str(question["number"]), aggregate)
    if aggregate == "list":
        results = windowed.process(tell, text)
    elif aggregate == "reduce":
        results = windowed.reduce(functions, tell, text)
    else:
        accumulator = Types.PRIMITIVE_ARRAY(Types.LONG()).get_java_type_info()
        results = windowed.aggregate(new("Functions$Aggregate", aggregate), tell, accumulator, text, text)
    return [results, results.getSideOutput(late)] if question["side_output"] else [results]


def windowing():
    """Return the Java package of windows."""
    return get_gateway().jvm.org.apache.flink.streaming.api.windowing


def millis(time):
    return get_gateway().jvm.java.time.Duration.ofMillis(time)


def assigner_of(functions, kind, **sizes):
    assigners = windowing().assigners
    if kind == "session" and sizes["gap"] is None:
        return assigners.EventTimeSessionWindows.withDynamicGap(functions)
    times = {name: millis(size) for name, size in sizes.items()}
    if kind == "session":
        return assigners.EventTimeSessionWindows.withGap(times["gap"])
    if kind == "tumbling":
        return assigners.TumblingEventTimeWindows.of(times["size"], times["offset"])
    if kind == "sliding":
        return assigners.SlidingEventTimeWindows.of(times["size"], times["slide"], times["offset"])
    return assigners.GlobalWindows.create()


def trigger_of(functions, kind, value=None):
    triggers = windowing().triggers
    if kind == "purging":
        return triggers.PurgingTrigger.of(trigger_of(functions, *value))
    if kind == "count":
        return triggers.CountTrigger.of(value)
    if kind == "continuous event time":
        return triggers.ContinuousEventTimeTrigger.of(millis(value))
    if kind == "delta":
        serializer = get_gateway().jvm.org.apache.flink.api.common.typeutils.base.StringSerializer.INSTANCE
        return triggers.DeltaTrigger.of(float(value), functions, serializer)
    return triggers.EventTimeTrigger.create()


def evictor_of(functions, kind, value, after):
    evictors = windowing().evictors
    if kind == "count":
        return evictors.CountEvictor.of(value, after)
    if kind == "time":
        return evictors.TimeEvictor.of(millis(value), after)
    return evictors.DeltaEvictor.of(float(value), functions, after)
