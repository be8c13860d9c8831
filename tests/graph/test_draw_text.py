from __future__ import annotations

from flott.graph.draw_text import draw_text
from flott.graph.drawing_labels import display_width
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.partitioners import Broadcast
from flott.runtime.plan import EpochPlan


def drawing(build, **settings):
    return draw_text(build_epoch_plan(generate_stream_graph(build.program(**settings))))


def test_chains_side_outputs_uids_and_exchanges(build):
    orders = build.source("orders", uid="orders")
    parsed = build.step("parse", orders)
    build.sink("dead letters", build.side(parsed, "malformed"))
    valid = build.step("valid?", parsed)
    rates = build.source("rates", parallelism=1)
    converted = build.step("convert", build.key_by(valid), build.partition(rates, Broadcast()))
    build.sink("all", build.union(parsed, converted))
    assert drawing(build, name="orders") == "\n".join(  # noqa: FLY002
        [
            "orders: 7 operators, 4 vertices, 3 levels",
            "",
            "level 0",
            "┌ 0 ─────────────────────────────── ×2 ┐",  # noqa: RUF001
            "│ Source: orders · uid orders          │",
            "│ └─ parse                             │",
            "│    ├─▶ 3  FORWARD                    │",
            "│    ├─ [malformed] Sink: dead letters │",
            "│    └─ valid?                         │",
            "│       └─▶ 2  HASH (input 1)          │",
            "└──────────────────────────────────────┘",
            "┌ 1 ───────────────────── ×1 ┐",  # noqa: RUF001
            "│ Source: rates              │",
            "│ └─▶ 2  BROADCAST (input 2) │",
            "└────────────────────────────┘",
            "level 1",
            "┌ 2 ───────── ×2 ┐",  # noqa: RUF001
            "│ convert        │",
            "│ └─▶ 3  FORWARD │",
            "└────────────────┘",
            "level 2",
            "┌ 3 ──── ×2 ┐",  # noqa: RUF001
            "│ Sink: all │",
            "└───────────┘",
        ]
    )


def test_one_of_each_is_said_in_the_singular(build):
    build.source()
    assert drawing(build).startswith("job: 1 operator, 1 vertex, 1 level\n")


def test_a_side_output_across_an_exchange_shows_its_tag(build):
    build.sink("late", build.side(build.source(), "late"), parallelism=1)
    assert "└─▶ 1  [late] REBALANCE" in drawing(build)


def test_boxes_stay_straight_whatever_the_names(build):
    for name in ("m", "窓 window", "two\nlines", "\x1b[2J", "n" * 200, "e\u0301"):
        build.step(name, build.key_by(build.source(name)), parallelism=1_000)
    box: list[str] = []
    for line in drawing(build).splitlines():
        if line.startswith("level"):
            continue
        box.append(line)
        if line.startswith("└"):
            widths = {display_width(part) for part in box if part[:1] in set("┌│└")}
            assert len(widths) == 1, box
            box = []


def test_a_job_without_vertices_has_a_drawing_too():
    assert draw_text(EpochPlan("nothing", (), (), ())).startswith("nothing: 0 operators, 0 vertices, 0 levels")
