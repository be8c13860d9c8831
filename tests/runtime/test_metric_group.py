"""What functions measure, and how it gets from worker to worker."""

from __future__ import annotations

import logging
import pickle

import numpy as np

from flott.metrics import Counter, Distribution, Histogram, Meter, MetricGroup


def fill(group):
    group.counter("seen").inc(3)
    group.meter("rate", 10).mark_event(4)
    group.distribution("size").update(5)
    group.histogram("length", 2).update(7)


def test_each_kind_tells_its_value_with_its_groups_and_variables():
    group = MetricGroup()
    fill(group.add_group("outer").add_group("city", "Rome"))
    told = {one.name: (one.kind, one.value, one.plain_name) for one in group.registry.measured()}
    assert told == {
        "outer.city.Rome.seen": ("counter", 3, "outer.city.seen"),
        "outer.city.Rome.rate": ("meter", (4, 10), "outer.city.rate"),
        "outer.city.Rome.size": ("distribution", (1, 5, 5, 5), "outer.city.size"),
        "outer.city.Rome.length": ("histogram", (1, [7], 2), "outer.city.length"),
    }
    assert {one.variables for one in group.registry.measured()} == {(("city", "Rome"),)}


def test_the_same_name_is_the_same_metric():
    group = MetricGroup()
    assert group.counter("a") is group.counter("a")
    assert group.add_group("g").counter("a") is group.add_group("g").counter("a")
    assert group.add_group("g").counter("a") is not group.counter("a")


def test_of_two_kinds_with_one_name_the_first_is_reported(caplog):
    group = MetricGroup()
    group.counter("a").inc()
    with caplog.at_level(logging.WARNING, logger="flott"):
        group.meter("a").mark_event(5)
    assert [(one.kind, one.value) for one in group.registry.measured()] == [("counter", 1)]
    assert caplog.messages == ["metric 'a' is a counter already; the meter of that name is not reported"]


def test_another_worker_goes_on_where_this_one_was():
    here, there = MetricGroup(), MetricGroup()
    fill(here)
    kept = pickle.loads(pickle.dumps(here.registry.snapshot()))
    fill(there)  # what open() does before the epoch begins does not count
    there.registry.restore(kept)
    fill(there)
    assert {one.name: one.value for one in there.registry.measured()} == {
        "seen": 6,
        "rate": (8, 10),
        "size": (2, 10, 5, 5),
        "length": (2, [7], 2),
    }
    assert there.counts() == {"seen": 3}
    assert there.counts() == {}


def test_a_metric_that_only_the_worker_before_knew_is_kept():
    there = MetricGroup()
    there.registry.restore({"rare": 5})
    assert there.registry.snapshot() == {"rare": 5}
    there.counter("rare").inc()
    assert there.registry.snapshot() == {"rare": 6}


def test_a_try_that_failed_leaves_nothing():
    group = MetricGroup()
    fill(group)
    kept = group.registry.snapshot()
    fill(group)
    group.registry.restore(kept)
    assert group.counter("seen").get_count() == 3
    assert group.distribution("size").kept() == (1, 5, 5, 5)


def test_a_gauge_is_asked_and_one_that_fails_is_left_out(caplog):
    group = MetricGroup()
    group.gauge("good", lambda: 42)
    group.gauge("bad", lambda: 1 // 0)
    with caplog.at_level(logging.WARNING, logger="flott"):
        assert [(one.name, one.value) for one in group.registry.measured()] == [("good", 42)]
    assert caplog.messages == ["gauge 'bad' failed: ZeroDivisionError('integer division or modulo by zero')"]
    group.gauge("good", lambda: 43)
    assert group.registry.measured()[0].value == 43


def test_whatever_a_gauge_tells_can_be_sent():
    group = MetricGroup()
    group.gauge("odd", lambda: lambda: 1)
    group.gauge("number", lambda: np.int64(3))
    odd, number = pickle.loads(pickle.dumps(group.registry.measured()))
    assert odd.value.startswith("<function")
    assert number.value == 3


def test_names_of_pyflink():
    for kind, methods in {
        Counter: ("inc", "dec", "get_count"),
        Meter: ("mark_event", "get_count"),
        Distribution: ("update",),
        Histogram: ("update", "get_count"),
        MetricGroup: ("add_group", "counter", "gauge", "meter", "distribution"),
    }.items():
        assert all(callable(getattr(kind, method)) for method in methods)
