"""Writes the chart and the table of docs/performance.md from the measured rounds in docs/figures/bench-rounds.csv.

Run it with `make performance-page`; `python tools/performance_page.py --check` reports whether they are up to date. A
row of the CSV is the median of a scenario on an engine; `kept` holds the single rounds where they were recorded.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from html import escape
from math import log10
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = ROOT / "docs" / "figures" / "bench-rounds.csv"
CHART = ROOT / "docs" / "figures" / "peers.svg"
PAGE = ROOT / "docs" / "performance.md"
BEGIN = "<!-- written by `make performance-page` from figures/bench-rounds.csv -->\n"
END = "<!-- end of what is written -->\n"

OURS = "Flott"
CHARTED = {
    "map and filter": "stateless",
    "keyed Python function with state": "keyed count, 1,000 keys",
    "windows, Python functions": "tumbling windows, Python functions, 1,000 keys",
    "windows, built-in aggregates": "tumbling windows, built-in aggregates, 1,000 keys",
    "pattern (CEP)": "pattern (CEP), 100,000 keys",
}
"""What the chart calls each of its scenarios."""
COLOURS = {OURS: "#2a78b5", "PyFlink": "#d9822b", "Flink SQL": "#b0793f", "Structured Streaming": "#7c8a97"}
WIDTH, LEFT, BAR, GAP, TOP = 860, 240, 17, 16, 64
FONT = 'font-family="system-ui, sans-serif" font-size="13"'
LOWEST, HIGHEST = 3, 8
"""Powers of ten at the ends of the axis."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured of one scenario on one engine."""

    scenario: str
    engine: str
    median: int
    rounds: int
    cpu_seconds: str
    kept: tuple[int, ...]

    @property
    def spread(self) -> str:
        """The lowest and the highest round, if they were recorded.

        >>> Figure("count", "Flott", 2, 3, "", (1, 2, 3)).spread, Figure("count", "Flott", 2, 3, "", ()).spread
        ('1 to 3', 'not recorded')
        """
        if self.rounds == 1:
            return "one round"
        return f"{min(self.kept):,} to {max(self.kept):,}" if self.kept else "not recorded"


def read_figures(path: Path = ROUNDS) -> list[Figure]:
    """Return the rows of the CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Figure(
                row["scenario"],
                row["engine"],
                int(row["median"]),
                int(row["rounds"]),
                row["cpu_seconds_per_million"],
                tuple(map(int, row["kept"].split())),
            )
            for row in csv.DictReader(file)
        ]


def table(figures: list[Figure]) -> str:
    """Return all scenarios as a table in Markdown, with how many times faster Flott was."""
    ours = {figure.scenario: figure.median for figure in figures if figure.engine == OURS}
    lines = [
        "| scenario | engine | records/s, median | spread | rounds | CPU seconds for a million | Flott is faster by |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in figures:
        ratio = "" if one.engine == OURS else f"{ours[one.scenario] / one.median:,.3g} x"
        name = f"**{one.scenario}**" if one.engine == OURS else ""
        cells = (name, one.engine, f"{one.median:,}", one.spread, str(one.rounds), one.cpu_seconds, ratio)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def chart(figures: list[Figure]) -> str:
    """Return the chart of the README: bars on a logarithmic axis, each with its figure."""
    groups = [(title, [one for one in figures if one.scenario == name]) for title, name in CHARTED.items()]
    height = TOP + sum(len(group) * BAR + GAP for _, group in groups) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {FONT}>',
        "<title>Records per second of Flott and its peers, logarithmic scale</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
        '<text x="20" y="28" font-size="16" font-weight="600" fill="#1b2733">Records per second, two cores</text>',
    ]
    for power in range(LOWEST, HIGHEST + 1):
        x = place(10**power)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{TOP - 8}" y2="{height - 34}" stroke="#e3e8ed"/>')
        parts.append(f'<text x="{x}" y="{height - 14}" text-anchor="middle" fill="#5b6b79">{short(10**power)}</text>')
    y = TOP
    for title, group in groups:
        middle = y + len(group) * BAR / 2 + 4
        parts.append(f'<text x="{LEFT - 12}" y="{middle:g}" text-anchor="end" fill="#1b2733">{escape(title)}</text>')
        for one in group:
            end = place(one.median)
            colour = COLOURS[one.engine]
            parts.append(
                f'<rect x="{LEFT}" y="{y}" width="{end - LEFT:g}" height="{BAR - 3}" rx="2" fill="{colour}"/>'
                f'<text x="{end + 6:g}" y="{y + 12}" font-size="12" fill="#1b2733">'
                f"{short(one.median)} {escape(one.engine)}</text>"
            )
            y += BAR
        y += GAP
    return "\n".join([*parts, "</svg>\n"])


def place(rate: float) -> float:
    """Return where a rate is on the axis."""
    return round(LEFT + (WIDTH - 190 - LEFT) * (log10(rate) - LOWEST) / (HIGHEST - LOWEST), 1)


def short(rate: int) -> str:
    """Return a rate as a label.

    >>> short(2_806_689), short(12_036), short(1000)
    ('2.8 M', '12 k', '1 k')
    """
    million, thousand = 1_000_000, 1_000
    return f"{rate / million:.3g} M" if rate >= million else f"{rate / thousand:.3g} k"


def with_table(text: str, written: str) -> str:
    """Return the page with the table in its place."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{written}\n{end}{after}"


def main(arguments: list[str]) -> int:
    """Write the chart and the table; with --check, return 1 if they are not up to date."""
    figures = read_figures()
    wanted = {CHART: chart(figures), PAGE: with_table(PAGE.read_text(encoding="utf-8"), table(figures))}
    if "--check" not in arguments:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is out of date: make performance-page")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
