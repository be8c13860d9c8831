"""The pictures of the documents can be drawn, and tell nothing of the machine that made them."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parents[2]
FIGURES = sorted((ROOT / "docs" / "figures").glob("*.svg"))
PLACES = re.compile(r"py-spy record|(?<![\w.])/(?:home|root|tmp|work|usr|opt)/")


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_a_picture_is_whole_and_names_no_place(path):
    drawing = path.read_text()
    assert ET.fromstring(drawing).tag.endswith("svg")  # noqa: S314 - it is our own
    assert not PLACES.search(drawing)


def test_places_are_taken_out_of_flame_graphs(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    spec = importlib.util.spec_from_file_location("flame", ROOT / "benchmarks" / "flame.py")
    flame = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(flame)
    assert doctest.testmod(flame).attempted
    assert not doctest.testmod(flame).failed
