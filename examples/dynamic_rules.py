"""Limits for payments that are changed while the job runs: rules are a stream, too.

    flott run examples/dynamic_rules.py

Rules are few and concern everybody, so they are broadcast: each subtask keeps all of them in broadcast state. Which of
two streams is read first nobody can say; event time decides here. A payment waits, in the state of its card, until the
watermark has passed it on both inputs. Then no rule can come any more that was in force when it was made, and it is
judged by the rules of its own time.
"""

from __future__ import annotations

from collections import Counter

from drawing import clock, table
from sample_data import payments, rules

from flott.common import Duration, Types, WatermarkStrategy
from flott.datastream import KeyedBroadcastProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ListStateDescriptor, MapStateDescriptor

RULES = MapStateDescriptor("rules", Types.STRING(), Types.PICKLED_BYTE_ARRAY())
"""For each kind of payment its rules, the newest last."""


class Judge(KeyedBroadcastProcessFunction):
    """Says of each payment which rule it met, and whether it is held."""

    def open(self, runtime_context):
        self.waiting = runtime_context.get_list_state(ListStateDescriptor("waiting", Types.PICKLED_BYTE_ARRAY()))

    def process_broadcast_element(self, value, ctx):
        known = ctx.get_broadcast_state(RULES)
        same_kind = known.get(value.kind) or []
        known.put(value.kind, sorted([*same_kind, value], key=lambda rule: rule.at))

    def process_element(self, value, ctx):
        self.waiting.add(value)
        ctx.timer_service().register_event_time_timer(value.at)

    def on_timer(self, timestamp, ctx):
        known = ctx.get_broadcast_state(RULES)
        later = []
        for payment in self.waiting.get():
            if payment.at > timestamp:
                later.append(payment)
                continue
            rule = [rule for rule in known.get(payment.kind) if rule.at <= payment.at][-1]
            yield rule, payment, payment.cents > rule.limit
        self.waiting.update(later)


def judged(env, made, changes):
    """Return (rule, payment, whether it is held) for each payment."""
    at = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(3))
    in_time = at.with_timestamp_assigner(lambda event, _: event.at)
    stream = env.from_collection(made).assign_timestamps_and_watermarks(in_time)
    everywhere = env.from_collection(changes).assign_timestamps_and_watermarks(in_time).broadcast(RULES)
    return stream.key_by(lambda payment: payment.card).connect(everywhere).process(Judge())


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    checked, held = Counter(), Counter()
    with judged(env, payments(), rules()).execute_and_collect("dynamic rules") as results:
        for rule, _, is_held in results:
            checked[rule] += 1
            held[rule] += is_held
    rows = [
        (rule.kind, clock(rule.at) if rule.at else "always", rule.limit / 100, checked[rule], held[rule])
        for rule in sorted(checked, key=lambda rule: (rule.kind, rule.at))
    ]
    print(table(["kind", "since", "limit", "payments", "held"], rows))
    print(f"\n{sum(held.values())} of {sum(checked.values()):,} payments are held")


if __name__ == "__main__":
    main()
