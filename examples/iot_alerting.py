"""Sensors that fall silent: an alert when one has not been heard of for a minute, and when it is back.

    flott run examples/iot_alerting.py

What does not come can't be processed; a timer can. Each reading deletes the sensor's timer and registers a new one, a
minute later. If it ever fires, nothing came in between. When old readings are worked off, event time moves in large
steps, and the next reading may be there before the timer was due: then the reading itself tells of the silence. Either
way the alerts are the same, and the state is two values per sensor, however many readings there are.
"""

from __future__ import annotations

from drawing import clock, table
from sample_data import MINUTE, SECOND, START, readings

from flott.common import Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ValueStateDescriptor


class Silence(KeyedProcessFunction):
    """Tells when a sensor falls silent, and when it is heard again."""

    def __init__(self, patience):
        self.patience = patience

    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.LONG()))
        self.alerted = runtime_context.get_state(ValueStateDescriptor("alerted", Types.BOOLEAN()))

    def process_element(self, value, ctx):
        last, timers = self.last.value(), ctx.timer_service()
        if last is not None:
            timers.delete_event_time_timer(last + self.patience)
            if value.at - last > self.patience:
                if not self.alerted.value():
                    yield last + self.patience, value.sensor, "silent", self.patience
                yield value.at, value.sensor, "back", value.at - last
        self.last.update(value.at)
        self.alerted.update(False)
        timers.register_event_time_timer(value.at + self.patience)

    def on_timer(self, timestamp, ctx):
        self.alerted.update(True)
        yield timestamp, ctx.get_current_key(), "silent", self.patience


def alerts(env, made, patience=MINUTE):
    in_order = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda reading, _: reading.at)
    stream = env.from_collection(made).assign_timestamps_and_watermarks(in_order)
    stream.set_parallelism(1)  # in two subtasks, readings of one sensor would overtake each other
    return stream.key_by(lambda reading: reading.sensor).process(Silence(patience))


def timeline(made, found, end, step=30 * SECOND) -> str:
    """Draw a line for each sensor: blocks while it reports, dots while it is known to be silent."""
    lines = []
    for sensor in sorted({reading.sensor for reading in made}):
        changes = [(at, what) for at, who, what, _ in found if who == sensor]
        states = [[what for at, what in changes if at <= moment][-1:] for moment in range(START + step, end + 1, step)]
        lines.append(f"{sensor}  {''.join('·' if state == ['silent'] else '█' for state in states)}")
    return "\n".join(lines)


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    made, end = readings(), START + 30 * MINUTE
    with alerts(env, made).execute_and_collect("iot alerting") as results:
        # When the input ends, the last watermark lets all timers fire. Those are not alerts.
        found = sorted(alert for alert in results if alert[0] <= end)
    rows = [(clock(at, "%H:%M:%S"), sensor, what, took // SECOND) for at, sensor, what, took in found]
    print(table(["time", "sensor", "is", "after seconds"], rows), end="\n\n")
    print(timeline(made, found, end))
    print(f"{'':8}  {clock(START):<29}{clock(START + 15 * MINUTE):<26}{clock(end)}")


if __name__ == "__main__":
    main()
