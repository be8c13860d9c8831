"""Against what PyFlink 2.3 prints: flink_plans/ holds ``env.get_execution_plan()`` of the same programs.

They were made with parallelism 2 and ``python.operator-chaining.enabled: false``, so that PyFlink leaves the
operators as the program has them.
"""

from __future__ import annotations

import json
from pathlib import Path

from flott.graph.explain_json import execution_plan_json
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.partitioners import Broadcast, Custom, Forward, Global, Rebalance, Rescale, Shuffle

FLINK_PLANS = Path(__file__).parent / "flink_plans"


def plan_of(build):
    return execution_plan_json(generate_stream_graph(build.program()))


def flink(name):
    return (FLINK_PLANS / f"{name}.json").read_text(encoding="utf-8").rstrip("\n")


def test_ship_strategies(build):
    numbers = build.source()
    partitioners = (Shuffle(), Rebalance(), Rescale(), Global(), Broadcast(), Forward())
    # PyFlink makes all six streams before the first map, so ids 2 to 7 are virtual.
    streams = [build.partition(numbers, partitioner) for partitioner in partitioners]
    for partitioner, stream in zip(partitioners, streams, strict=True):
        build.step(partitioner.name.lower(), stream)
    spread = build.step("_partition_custom_map_operator", numbers)
    custom = build.partition(spread, Custom(lambda key, count: 0, str))
    build.step("custom", build.step("_keyed_stream_values_operator", custom))
    assert plan_of(build) == flink("ship_strategies")


def test_the_partitioning_nearest_the_consumer_wins(build):
    numbers = build.source()
    build.step("a", build.partition(build.partition(numbers, Rebalance()), Shuffle()))
    united = build.union(build.partition(numbers, Shuffle()), build.partition(numbers, Broadcast()))
    build.step("b", build.partition(united, Rebalance()))
    build.step(
        "c",
        build.union(build.partition(numbers, Shuffle()), build.partition(numbers, Broadcast()), numbers),
        parallelism=3,
    )
    assert plan_of(build) == flink("nearest_wins")


def test_sinks_come_last_and_texts_are_escaped_as_jackson_does(build):
    left, right = build.source("left"), build.source("right")
    build.sink("Print to Std. Out", left)
    later = build.step("later", right)
    both = build.step("Co-Map", later, left, parallelism=1)
    build.sink("last", both, parallelism=1)
    build.step("loose \x1b é\t/", right, description="δ")
    assert plan_of(build) == flink("sinks_last")


def test_window_count(build):
    split = build.step("split", build.source("socket", parallelism=1))
    keyed = build.key_by(build.step("_stream_key_by_map_operator", split))
    window = build.step(
        "window", keyed, description="Window(TumblingEventTimeWindows(1000, 0), EventTimeTrigger, function)"
    )
    build.sink("out", window)
    assert plan_of(build) == flink("window_count")


def test_it_is_json_whatever_the_names(build):
    names = [
        '"quoted"',
        "back\\slash",
        "line\nbreak",
        "".join(map(chr, range(0x20))),
        "</script>",
        "ü 窓 \U0001f600",
        "",
    ]
    for name in names:
        build.step(name, build.source(name), description=name)
    nodes = json.loads(plan_of(build))["nodes"]
    assert [node["contents"] for node in nodes if node["pact"] == "Operator"] == names
    assert [node["type"] for node in nodes if node["pact"] == "Data Source"] == [f"Source: {name}" for name in names]


def test_a_source_that_is_a_sink_too_stays_a_source(build):
    build.source("both", is_sink=True)
    (node,) = json.loads(plan_of(build))["nodes"]
    assert (node["pact"], node["type"]) == ("Data Source", "Source: both")
    assert "predecessors" not in node
