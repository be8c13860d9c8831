"""The code blocks of a Markdown page: what runs, what it prints, and what can't run and why.

A block is a fence with a language. Above it may stand a comment that readers do not see:

- `<!-- not run: why -->` for a block that can't run here;
- `<!-- tested by tests/x/test_y.py: why -->` for one that a test of its own runs;
- `<!-- any order -->` where the lines of the output come in any order.

A comment that starts with `<!-- first` holds Python that runs before what follows it: data that a page takes for
granted. A page that says `<!-- on spark -->` runs on an embedded Spark, others in one process without it.
The output of a block is the fence without a language that follows it directly. Where the text before a block ends with
"as `name`:", the block is a file that a reader saves; it is not run by itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`]*)$")
DIRECTIVE = re.compile(r"^ *<!-- (?P<word>not run|tested by|any order|on spark|first)\b:? ?(?P<rest>.*?)(?P<end>-->)?$")
SAVED = re.compile(r" as `(?P<name>[\w./-]+)`:$")
CODE = frozenset({"python", "sql", "console"})
"""The languages of blocks that do something; the others (json, dockerfile, …) are only shown."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of code, and what it is said to print."""

    language: str
    code: str
    line: int
    """Where its code begins, counted from 1."""
    output: str | None = None
    output_line: int = 0
    not_run: str = ""
    """Why it is not run; empty for a block that is."""
    tested_by: str = ""
    """The test that runs it, and why it needs one of its own."""
    any_order: bool = False
    hidden: bool = False
    saved_as: str = ""

    @property
    def runs(self) -> bool:
        """Whether the page's own run includes it."""
        return not (self.not_run or self.tested_by or self.saved_as)


@dataclass(frozen=True, slots=True)
class Page:
    """A page and its blocks, from top to bottom."""

    path: Path
    blocks: tuple[Block, ...]
    on_spark: bool

    def running(self, *languages: str) -> list[Block]:
        """Return the blocks that run."""
        return [block for block in self.blocks if block.runs and block.language in languages]


def read_page(path: Path) -> Page:
    """Read the blocks of a page."""
    text = path.read_text(encoding="utf-8")
    return Page(path, tuple(blocks_of(text)), "<!-- on spark -->" in text)


def blocks_of(text: str) -> list[Block]:
    r"""Return the blocks of code in a text of Markdown.

    >>> [block] = blocks_of("```python\nprint(1)\n```\n\n```\n1\n```\n")
    >>> block.code, block.output, block.line
    ('print(1)\n', '1\n', 2)
    """
    reader = _Reader(text.splitlines())
    while reader.at < len(reader.lines):
        line = reader.lines[reader.at]
        if directive := DIRECTIVE.match(line):
            reader.comment(directive)
        elif opening := FENCE.match(line):
            reader.fence(opening)
        elif line.strip():
            reader.ended = False
            saved = SAVED.search(line)
            reader.saved_as = saved["name"] if saved else ""
        reader.at += 1
    return reader.blocks


@dataclass(slots=True)
class _Reader:
    lines: list[str]
    at: int = 0
    blocks: list[Block] = field(default_factory=list)
    directive: dict[str, str] = field(default_factory=dict)
    saved_as: str = ""
    ended: bool = False
    """Whether nothing but empty lines came since the last block."""

    def comment(self, directive: re.Match[str]) -> None:
        if directive["word"] != "first":
            self.directive = {directive["word"]: directive["rest"].strip() or "yes"}
            return
        start = self.at + 1
        while "-->" not in self.lines[self.at]:
            self.at += 1
        code = "".join(f"{line}\n" for line in self.lines[start : self.at])
        self.blocks.append(Block("python", code, start + 1, hidden=True))
        self.ended = False

    def fence(self, opening: re.Match[str]) -> None:
        start, indent = self.at + 1, len(opening["indent"])
        self.at = start
        while self.lines[self.at].strip() != "```":
            self.at += 1
        inside = "".join(f"{line[indent:]}\n" for line in self.lines[start : self.at])
        language = opening["info"].strip()
        if language in CODE:
            told = self.directive
            why_not, test, order = told.get("not run", ""), told.get("tested by", ""), "any order" in told
            block = Block(language, inside, start + 1, None, 0, why_not, test, order, saved_as=self.saved_as)
            self.blocks.append(block)
        elif not language and self.ended:
            self.blocks[-1] = replace(self.blocks[-1], output=inside, output_line=start + 1)
        self.ended = language in CODE
        self.directive = {}
        self.saved_as = ""
