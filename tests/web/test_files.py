"""The files of the page, read as files."""

from __future__ import annotations

import re

import pytest

from flott.web.assets import assets, find

COLOUR = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
PAIRS = [
    ("text", "ground"), ("text", "surface"), ("text", "raised"),
    ("faint", "ground"), ("faint", "surface"), ("faint", "raised"),
    ("accent", "surface"), ("accent-text", "accent"),
    ("good", "good-ground"), ("warn", "warn-ground"), ("bad", "bad-ground"), ("calm", "calm-ground"),
    ("bad", "surface"),
]  # fmt: skip


def palettes():
    light, dark = find("/css/colours.css").data.decode().split(':root[data-theme="dark"]')
    return {"light": dict(COLOUR.findall(light)), "dark": dict(COLOUR.findall(dark))}


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_stands_out_from_its_ground(theme):
    palette = palettes()[theme]
    for text, ground in PAIRS:
        light, dark = sorted((luminance(palette[text]), luminance(palette[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


def test_both_themes_have_the_same_colours():
    assert palettes()["light"].keys() == palettes()["dark"].keys()


def test_every_file_that_is_asked_for_is_there():
    asked = {"/index.html"}
    for path, asset in assets().items():
        text = asset.data.decode()
        asked.update(re.findall(r'(?:href|src)="(/[^"]+)"', text))
        for target in re.findall(r'from "(\.[^"]+)"', text):
            folder = path.rpartition("/")[0] if target.startswith("./") else path.rsplit("/", 2)[0]
            asked.add(f"{folder}/{target.lstrip('./')}")
    assert asked == set(assets())


def test_nothing_leads_out_of_the_machine_and_nothing_is_markup():
    for path, asset in assets().items():
        text = asset.data.decode().replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text, path
        assert "https://" not in text, path
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text), path


@pytest.mark.parametrize(
    "path", ["/../assets.py", "/static/index.html", "/js/", "/js", "", "//index.html", "/index.html?x"]
)
def test_nothing_else_is_found(path):
    assert find(path) is None
