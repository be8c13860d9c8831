"""The examples with streams find what a plain computation over the same data finds."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import pytest

pytestmark = pytest.mark.job


def test_word_count(example, data, env, collect):
    text = data.lines(300)
    updates = collect(example("word_count").count_words(env, text))
    wanted = Counter(" ".join(text).split())
    assert len(updates) == wanted.total()
    assert dict(updates) == wanted


def test_top_items_per_minute(example, data, env, collect):
    made = data.clicks(3_000)
    found = dict(collect(example("top_items_per_minute").top_items(env, made)))
    minutes = defaultdict(Counter)
    for click in made:
        minutes[(click.at // data.MINUTE + 1) * data.MINUTE][click.item] += 1
    wanted = {end: sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:3] for end, counts in minutes.items()}
    assert len(wanted) == 5
    assert found == wanted


def test_session_funnel(example, data, env, collect):
    made = data.visits(100)
    module = example("session_funnel")
    found = collect(module.sessions(env, made))
    wanted = []
    for visitor in {visit.visitor for visit in made}:
        mine = sorted((visit.at, data.STEPS.index(visit.page)) for visit in made if visit.visitor == visitor)
        breaks = [
            place for place, (one, other) in enumerate(pairwise(mine), 1) if other[0] - one[0] >= 30 * data.MINUTE
        ]
        for start, end in pairwise([0, *breaks, len(mine)]):
            times, steps = zip(*mine[start:end], strict=True)
            wanted.append((visitor, times[0], len(times), times[-1] - times[0], data.STEPS[max(steps)]))
    assert len(wanted) > 150
    assert sorted(found) == sorted(wanted)
    assert module.funnel(found)["home"] == len(wanted)
    assert module.funnel(found)["thanks"] == sum(session[-1] == "thanks" for session in wanted)


def test_iot_alerting(example, data, env, collect):
    made = data.readings(8)
    found = collect(example("iot_alerting").alerts(env, made))
    wanted = []
    for sensor in {reading.sensor for reading in made}:
        times = [reading.at for reading in made if reading.sensor == sensor]
        for one, other in pairwise(times):
            if other - one > data.MINUTE:
                wanted.append((one + data.MINUTE, sensor, "silent", data.MINUTE))
                wanted.append((other, sensor, "back", other - one))
        wanted.append((times[-1] + data.MINUTE, sensor, "silent", data.MINUTE))  # The stream ends.
    assert len(wanted) > 20
    assert sorted(found) == sorted(wanted)


def test_late_data(example, data, env, collect):
    made = data.orders(2_000)
    final = {minute: rest for minute, *rest in collect(example("late_data").repaired_revenue(env, made))}
    wanted, latest = defaultdict(lambda: [0, 0, 0]), 0
    for order in made:
        minute = order.at // data.MINUTE * data.MINUTE
        # Late is what belongs to a window whose last millisecond the watermark had passed before.
        late = minute + data.MINUTE - 1 <= latest - 5 * data.SECOND
        wanted[minute][2 if late else 0] += order.cents
        wanted[minute][1] += late
        latest = max(latest, order.at)
    assert sum(late for _, late, _ in wanted.values()) > 20
    assert final == wanted


def test_dynamic_rules(example, data, env, collect):
    made, rules = data.payments(2_000), data.rules()
    found = collect(example("dynamic_rules").judged(env, made, rules))
    wanted = []
    for payment in made:
        rule = max(
            (rule for rule in rules if rule.kind == payment.kind and rule.at <= payment.at), key=lambda one: one.at
        )
        wanted.append((rule, payment, payment.cents > rule.limit))
    assert Counter(found) == Counter(wanted)
    assert {rule for rule, _, held in found if held} == set(rules)


def test_async_enrichment(example, data, env, collect):
    module, made = example("async_enrichment"), data.orders(200)
    with module.customer_service() as port:
        found = collect(module.enriched(env, made, port))
    wanted = [(order, f"customer {order.customer}", module.TIERS[order.customer % 3]) for order in made]
    assert Counter(found) == Counter(wanted)
