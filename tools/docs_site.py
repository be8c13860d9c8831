"""What the documentation site needs besides its pages; MkDocs loads it as a hook, Griffe as an extension.

- A link from a page to a file outside of `docs/` works in the repository; on the site it becomes plain text.
- The changelog's page is the file CHANGELOG.md.
- Examples in docstrings are shown as code.
- State diagrams of Mermaid are drawn while the site is built.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import griffe

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs loads this file by its path

from draw_states import draw

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
DIAGRAM = re.compile(r"^```mermaid\n(?P<diagram>stateDiagram.*?)^```\n", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[(?P<text>[^\]\[]*)\]\((?P<target>[^)\s:]+)\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Return the text of a page as the site needs it."""
    source = page.file.src_uri
    if source == "changelog.md":
        markdown = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    drawn = DIAGRAM.sub(lambda found: f"<div>{draw(found['diagram'])}</div>\n", markdown)
    return without_links_outside(drawn, (ROOT / "docs" / source).parent)


def without_links_outside(markdown: str, directory: Path) -> str:
    """Return a page's text, its links to files outside of `docs/` as plain text.

    >>> without_links_outside("[x](../tools/y.py), [z](sql.md)", ROOT / "docs")
    'x, [z](sql.md)'
    """

    def plain(link: re.Match[str]) -> str:
        target = (directory / link["target"].partition("#")[0]).resolve()
        return link[0] if target.is_relative_to(ROOT / "docs") else link["text"]

    return LINK.sub(plain, markdown)


class FencedDoctests(griffe.Extension):
    """Shows the examples in docstrings as code; as plain Markdown they would be quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of whatever was loaded."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    r"""Return a docstring with a fence around each example.

    >>> print(fenced("Adds.\n\n>>> add(1, 2)\n3\n\nThat is all.").replace("`" * 3, "---"))
    Adds.
    <BLANKLINE>
    ---pycon
    >>> add(1, 2)
    3
    ---
    <BLANKLINE>
    That is all.
    """
    return "\n".join(_fenced_lines(docstring.splitlines()))


def _fenced_lines(lines: list[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        if not inside and line.lstrip().startswith(">>> "):
            inside = True
            yield from ("", "```pycon")
        elif inside and not line.strip():
            inside = False
            yield "```"
        # Flags of doctest are for the machine.
        yield re.sub(r"\s*# doctest:.*$", "", line)
    if inside:
        yield "```"
