from __future__ import annotations

import re

from flott.graph.draw_mermaid import draw_mermaid
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.plan import EpochPlan

# What every line but the first three may look like: no name of the user can be read as syntax.
LINES = [
    r"flowchart LR",
    r'  subgraph v\d+\["\d+ ×\d+"\]',  # noqa: RUF001
    r'    v\d+_\d+\["[^"<>`\[\]{}()|\\]*"\]',
    r"    v\d+_\d+ --> v\d+_\d+",
    r"  end",
    r'  v\d+_\d+ ==>\|"[^"<>`\[\]{}()|\\]*"\| v\d+_0',
]


def drawing(build, **settings):
    return draw_mermaid(build_epoch_plan(generate_stream_graph(build.program(**settings))))


def test_chains_are_inside_and_exchanges_between(build):
    numbers = build.source()
    build.sink("late", build.side(numbers, "late"))
    build.step("both", build.key_by(numbers), numbers, parallelism=1)
    assert drawing(build).splitlines() == [
        "---",
        'title: "job"',
        "---",
        "flowchart LR",
        '  subgraph v0["0 ×2"]',  # noqa: RUF001
        '    v0_0["Source: numbers"]',
        '    v0_1["#91;late#93; Sink: late"]',
        "    v0_0 --> v0_1",
        "  end",
        '  subgraph v1["1 ×1"]',  # noqa: RUF001
        '    v1_0["both"]',
        "  end",
        '  v0_0 ==>|"HASH #40;input 1#41;"| v1_0',
        '  v0_0 ==>|"REBALANCE #40;input 2#41;"| v1_0',
    ]


def test_no_name_is_read_as_syntax(build):
    for name in ('"]', "a`b`", "<b>&amp;", "#35;", "x\ny", "end", "a|b", "(c) {d} \\", "%% no comment"):
        build.sink(name, build.side(build.source(name, uid=name), name), parallelism=1)
    for line in drawing(build).splitlines()[3:]:
        assert any(re.fullmatch(pattern, line) for pattern in LINES), line


def test_the_title_is_quoted(build):
    build.source()
    assert drawing(build, name='my "best"\n\\job').splitlines()[1] == r'title: "my \"best\" \\job"'


def test_a_job_without_vertices_has_a_drawing_too():
    assert draw_mermaid(EpochPlan("nothing", (), (), ())).endswith("flowchart LR")
