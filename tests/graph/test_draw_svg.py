from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from flott.graph.draw_svg import draw_svg
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.stream_graph import generate_stream_graph
from flott.runtime.partitioners import Broadcast
from flott.runtime.plan import EpochPlan

SVG = "{http://www.w3.org/2000/svg}"


def parsed(build, **settings):
    return ET.fromstring(draw_svg(build_epoch_plan(generate_stream_graph(build.program(**settings)))))  # noqa: S314


def texts(picture):
    return ["".join(part for part in (element.text, *(child.tail for child in element)) if part)
            for element in picture.iter(f"{SVG}text")]  # fmt: skip


@pytest.fixture
def shop(build):
    orders = build.step("parse", build.source("orders", uid="orders"))
    build.sink("bad", build.side(orders, "malformed"))
    joined = build.step("join", build.key_by(orders), build.partition(build.source("rates"), Broadcast()))
    build.sink("all", build.union(orders, joined), parallelism=1)
    return build


def test_it_shows_every_operator_vertex_and_exchange(shop):
    picture = parsed(shop, name="shop")
    shown = texts(picture)
    assert shown[0] == "shop"
    for text in (
        "Source: orders · uid orders", "parse", "[malformed] Sink: bad", "join", "Source: rates", "Sink: all",
        "HASH (input 1)", "BROADCAST (input 2)", "×2", "×1",  # noqa: RUF001
    ):  # fmt: skip
        assert text in shown
    assert shown.count("REBALANCE") == 2
    boxes = [element for element in picture.iter(f"{SVG}rect") if element.get("class", "").startswith("vertex")]
    assert [box.get("class") for box in boxes] == ["vertex source", "vertex source", "vertex inner", "vertex sink"]
    assert len([path for path in picture.iter(f"{SVG}path") if path.get("class") == "exchange"]) == 4


def test_pointing_at_an_operator_shows_its_id(shop):
    titles = [element.text for element in parsed(shop).iter(f"{SVG}title")]
    assert sum(text.startswith("operator id ") and text.endswith("max parallelism 128") for text in titles) == 6


def test_everything_is_inside_the_picture(shop):
    picture = parsed(shop)
    _, _, width, height = map(float, picture.get("viewBox").split())
    for box in picture.iter(f"{SVG}rect"):
        assert float(box.get("x", 0)) + float(box.get("width")) <= width
        assert float(box.get("y", 0)) + float(box.get("height")) <= height


def test_it_needs_nothing_from_outside_and_follows_light_and_dark(shop):
    text = draw_svg(build_epoch_plan(generate_stream_graph(shop.program())))
    assert "prefers-color-scheme: dark" in text
    assert text.count("http") == 1  # the name space
    assert not any(word in text for word in ("<script", "<image", "@import", "href", "url(http"))


def test_any_name_gives_well_formed_xml(build):
    for name in ("<&>\"'", "\x00\x1b\ud800\uffff", "two\nlines", "]]>", "窓", ""):
        build.sink(name, build.side(build.source(name, uid=name), name), parallelism=1)
    shown = texts(parsed(build, name="<job> & \x07"))
    assert shown[0] == "<job> & �"
    assert "Sink: <&>\"'" in shown


def test_a_job_without_vertices_has_a_picture_too():
    assert ET.fromstring(draw_svg(EpochPlan("nothing", (), (), ()))).tag == f"{SVG}svg"  # noqa: S314
