"""Checks that links between pages of the repository lead somewhere: files, and headings in them.

Run it with `make lint`, or `python tools/lint_links.py [repository]`. It looks at every Markdown file of ours and never
at the network; a link to another site is not followed.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = ("*.md", "docs/**/*.md", "examples/**/*.md", "benchmarks/**/*.md")
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6} (?P<text>.+?)\s*(?:\{#(?P<id>[\w-]+)\})?$")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


def lint(repository: Path) -> list[str]:
    """Return a line for every link that leads nowhere."""
    findings: list[str] = []
    for path in sorted({path for place in PLACES for path in repository.glob(place)}):
        for number, target in links_of(path.read_text(encoding="utf-8")):
            problem = _problem(path, target)
            if problem:
                findings.append(f"{path.relative_to(repository)}:{number}: link: {problem}")
    return findings


def links_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and target of each link that is not code, nor to another site.

    >>> list(links_of("see [a](b.md#c), `[no](link)` and [x](https://example.org)"))
    [(1, 'b.md#c')]
    """
    for number, line in _prose(text):
        for link in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            if not ELSEWHERE.match(link["target"]):
                yield number, link["target"]


def _prose(text: str) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def _problem(path: Path, target: str) -> str | None:
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return f"{target}: there is no such file"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file):
        close = ", ".join(sorted(anchors_of(file)))
        return f"{target}: {file.name} has no such heading; it has {close}"
    return None


@cache
def anchors_of(path: Path) -> frozenset[str]:
    """Return the anchors of a page's headings, as MkDocs and GitHub make them."""
    anchors: set[str] = set()
    for _, line in _prose(path.read_text(encoding="utf-8")):
        if heading := HEADING.match(line):
            anchors.add(heading["id"] or _slug(heading["text"]))
    return frozenset(anchors)


def _slug(heading: str) -> str:
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def main(arguments: list[str]) -> int:
    """Print the findings; return the exit code."""
    repository = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    findings = lint(repository)
    print("\n".join(findings) if findings else "links: ok")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
