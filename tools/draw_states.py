"""Draws state diagrams of Mermaid as SVG, so that the site shows them without loading a script from elsewhere.

It knows the form that `pattern.explain("mermaid")` writes: `state "name" as s0`, `s0 --> s1 : text`, `[*]` for start
and end. States stand in a row; arrows to the next are straight, others are arcs above, those back are arcs below.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

STATE = re.compile(r'^\s*state "(?P<label>[^"]*)" as (?P<id>\w+)$', re.MULTILINE)
ARROW = re.compile(r"^\s*(?P<start>\[\*\]|\w+) --> (?P<end>\[\*\]|\w+)(?: : (?P<text>.*))?$", re.MULTILINE)

GAP, WIDTH, HEIGHT, MIDDLE = 210, 76, 40, 130
INK = "#3f51b5"


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one place in the row to another, with what is written on it."""

    start: int
    end: int
    text: str


def draw(diagram: str) -> str:
    r"""Return a state diagram as SVG.

    >>> draw('stateDiagram-v2\n    state "a" as s0\n    [*] --> s0\n    s0 --> [*]').count("<rect")
    1
    """
    labels = {found["id"]: found["label"] for found in STATE.finditer(diagram)}
    place = {name: number for number, name in enumerate(labels, 1)}
    last = len(labels) + 1
    arrows = [
        Arrow(place.get(found["start"], 0), place.get(found["end"], last), found["text"] or "")
        for found in ARROW.finditer(diagram)
    ]
    width, height = GAP * last + 40, 2 * MIDDLE
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'style="max-width:100%;height:auto" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
    )
    tip = (
        '<defs><marker id="to" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 10 5 0 10z" fill="{INK}"/></marker></defs>'
    )
    parts = [opening, tip]
    parts += [_arrow(arrow, level) for level, arrow in _levels(arrows)]
    parts += [_state(number, label) for number, label in enumerate(labels.values(), 1)]
    parts += [f'<circle cx="{_x(end)}" cy="{MIDDLE}" r="7" fill="{INK}"/>' for end in (0, last)]
    return "".join([*parts, "</svg>"])


def _x(place: int) -> int:
    return 20 + GAP * place


def _levels(arrows: list[Arrow]) -> list[tuple[int, Arrow]]:
    """Number the arrows between the same two places, so that they and their texts do not cover each other."""
    seen: dict[tuple[int, int], int] = {}
    numbered = []
    for arrow in arrows:
        key = (arrow.start, arrow.end)
        numbered.append((seen.setdefault(key, 0), arrow))
        seen[key] += 1
    return numbered


def _state(place: int, label: str) -> str:
    x = _x(place)
    return (
        f'<rect x="{x - WIDTH // 2}" y="{MIDDLE - HEIGHT // 2}" width="{WIDTH}" height="{HEIGHT}" rx="8" '
        f'fill="none" stroke="{INK}" stroke-width="1.5"/>'
        f'<text x="{x}" y="{MIDDLE + 5}" text-anchor="middle" font-size="14">{escape(label)}</text>'
    )


def _arrow(arrow: Arrow, level: int) -> str:
    start, end, half = _x(arrow.start), _x(arrow.end), WIDTH // 2
    if arrow.start == arrow.end:
        top = MIDDLE - HEIGHT // 2
        rise = 45 + 26 * level
        path = f"M{start - 16} {top} C{start - 26} {top - rise},{start + 26} {top - rise},{start + 16} {top}"
        at = (start, top - rise * 3 // 4 - 6)
    elif arrow.end == arrow.start + 1:
        arrives = end - (half if arrow.text or not arrow.start else 9)
        path = f"M{start + (half if arrow.start else 8)} {MIDDLE} L{arrives} {MIDDLE}"
        at = ((start + end) // 2, MIDDLE - 6)
    else:
        side = -1 if arrow.end > arrow.start else 1
        edge = MIDDLE + side * HEIGHT // 2
        bend = edge + side * (40 + 22 * (abs(arrow.end - arrow.start) + level))
        path = f"M{start} {edge} C{start} {bend},{end} {bend},{end} {edge}"
        at = ((start + end) // 2, edge + (bend - edge) * 3 // 4 + (14 if side > 0 else -5))
    line = f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="1.3" marker-end="url(#to)"/>'
    return line + f'<text x="{at[0]}" y="{at[1]}" text-anchor="middle">{escape(arrow.text)}</text>'
