"""Rules from a bounded broadcast input apply to every payment; a setting has both read at the same time."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from tests.failing_jobs import FailsAt, environment, small_epochs

from flott.common import Duration, Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.coordination.source_planner import SourcePlanner
from flott.datastream import KeyedBroadcastProcessFunction
from flott.datastream.state import MapStateDescriptor
from flott.graph.epoch_plan import build_epoch_plan
from flott.runtime.operators.keyed_broadcast_process import KeyedBroadcastProcess
from flott.runtime.reports import TaskReport

RULES = MapStateDescriptor("rules", Types.LONG(), Types.LONG())


@pytest.fixture(autouse=True)
def _small_epochs(monkeypatch):
    small_epochs(monkeypatch)


class CountsRules(KeyedBroadcastProcessFunction):
    """Emits how many rules there are when a payment comes."""

    def process_element(self, value, ctx):
        yield len(list(ctx.get_broadcast_state(RULES).keys()))

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value, value)


def rules_when_payments_came(env, rules=300, payments=400, strategy=None, fails_at=(), kept=None):
    """Return how many rules each payment met."""
    strategy = strategy or WatermarkStrategy.no_watermarks()
    unlimited = RateLimiterStrategy.no_op()
    given = DataGeneratorSource(lambda n: n, rules, unlimited, Types.LONG())
    bought = DataGeneratorSource(lambda n: n, payments, unlimited, Types.LONG())
    every = WatermarkStrategy.no_watermarks()
    kept = kept or (lambda _: True)
    broadcast = env.from_source(given, every, "rules").map(FailsAt(*fails_at)).filter(kept).broadcast(RULES)
    paid = env.from_source(bought, strategy, "payments").key_by(lambda n: n % 7)
    met = paid.connect(broadcast).process(CountsRules(), Types.LONG())
    return list(met.execute_and_collect("payments"))


def test_all_rules_are_there_when_the_first_payment_comes():
    assert rules_when_payments_came(environment()) == [300] * 400


def test_rules_and_payments_from_collections():
    env = environment()
    broadcast = env.from_collection([1, 2, 3], Types.LONG()).broadcast(RULES)
    paid = env.from_collection([1, 2], Types.LONG()).key_by(lambda n: n)
    met = paid.connect(broadcast).process(CountsRules(), Types.LONG())
    assert list(met.execute_and_collect("payments")) == [3, 3]


def test_so_it_is_after_a_restore(tmp_path):
    assert rules_when_payments_came(environment(tmp_path), fails_at=(120, 250)) == [300] * 400


def test_a_source_that_waits_is_not_idle():
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_idleness(Duration.of_millis(1))
    assert rules_when_payments_came(environment(), strategy=strategy) == [300] * 400


def test_without_the_setting_both_are_read_at_the_same_time():
    met = rules_when_payments_came(environment(**{"flott.broadcast.first": "false"}))
    assert len(met) == 400
    assert min(met) < 300
    assert min(rules_when_payments_came(environment(**{"flott.broadcast.first": "true"}))) == 300


def test_rules_that_come_slowly_hold_nothing_up():
    env = environment(parallelism=1)
    slow = DataGeneratorSource(lambda n: n, 10**9, RateLimiterStrategy.per_second(1), Types.LONG())
    broadcast = env.from_source(slow, WatermarkStrategy.no_watermarks(), "rules").broadcast(RULES)
    paid = env.from_sequence(1, 50).key_by(lambda n: n % 7)
    met = paid.connect(broadcast).process(CountsRules(), Types.LONG())
    assert len(list(met.execute_and_collect("payments", limit=50))) == 50


def hints(caplog):
    return [record.getMessage() for record in caplog.records if "broadcast input" in record.getMessage()]


def test_a_hint_says_that_no_rule_had_come(caplog):
    met = rules_when_payments_came(environment(), payments=1000, kept=lambda _: False)
    assert met == [0] * 1000
    [hint] = hints(caplog)
    said = re.match(r"operator '.*': 0 elements of its broadcast input .* first (\d+) elements of the other", hint)
    assert said, hint
    assert 500 <= int(said[1]) <= 1000


def test_there_is_no_hint_where_rules_came_first(caplog):
    assert rules_when_payments_came(environment(), payments=1000) == [300] * 1000
    assert hints(caplog) == []


@pytest.mark.parametrize(("epoch", "count"), [(0, 1), (7, 0)])
def test_a_job_that_was_restored_has_its_rules_in_state(epoch, count, caplog):
    env = environment()
    broadcast = env.from_collection([1], Types.LONG()).broadcast(RULES)
    paid = env.from_collection([1], Types.LONG()).key_by(lambda n: n)
    paid.connect(broadcast).process(CountsRules(), Types.LONG()).print()
    plan = build_epoch_plan(env.get_stream_graph())
    planner = SourcePlanner(plan)
    planner.plan(SimpleNamespace(epoch=epoch, enumerators={}, ended=frozenset()), 1.0, 0)
    [vertex] = [one for one in plan.vertices if isinstance(one.chain[0].operator, KeyedBroadcastProcess)]
    [other] = [edge.source for edge in plan.inputs_of(vertex) if edge.input_index == 0]
    for records in (499, 1, 1):
        planner.observe([TaskReport(other, 0, "", 0, records_out=records)])
    assert len(hints(caplog)) == count


def test_there_is_no_hint_for_a_few_payments(caplog):
    assert rules_when_payments_came(environment(), payments=499, kept=lambda _: False) == [0] * 499
    assert hints(caplog) == []


@pytest.mark.spark
def test_so_it_is_on_spark():
    env = environment(**{"flott.execution.target": "spark", "flott.spark.master": "local[2]"})
    assert rules_when_payments_came(env) == [300] * 400
