"""Writes docs/error-gallery.md: makes common mistakes, and shows what Flott says to each.

Run it with `make docs-reference`, or `python tools/error_gallery.py [--check]`. Each mistake is a program in
`tests/docs/mistakes`: its docstring has a title and what to do; what stands before the line `# -- program --` makes the
surroundings (a savepoint, a port in use) and is not shown; `ENDS` closes what that opens.
A test makes them all again and compares.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
import textwrap
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
MISTAKES = ROOT / "tests" / "docs" / "mistakes"
PAGE = ROOT / "docs" / "error-gallery.md"
PROGRAM = "# -- program --\n"
WIDTH = 118

INTRODUCTION = """\
# Error gallery

Written by `make docs-reference`, which makes each of these mistakes; do not edit. An error says what was wrong, where,
and the right form; what is below each is the advice in a sentence.
"""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A program that does not do what its author wanted."""

    path: Path
    title: str
    advice: str
    surroundings: str
    program: str

    @property
    def name(self) -> str:
        """A short name, for tests."""
        return self.path.stem


def mistakes() -> list[Mistake]:
    """Return all mistakes, in the order of the page."""
    return [_read(path) for path in sorted(MISTAKES.glob("[0-9]*.py"))]


def _read(path: Path) -> Mistake:
    text = path.read_text(encoding="utf-8")
    title, _, advice = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")
    body = text.partition('"""\n')[2].lstrip("\n")
    surroundings, _, program = body.rpartition(PROGRAM)
    return Mistake(path, title.removesuffix("."), advice.strip(), surroundings, program.lstrip("\n"))


def message_of(mistake: Mistake) -> str:
    """Make a mistake; return what Flott says to it."""
    names: dict[str, Any] = {"__name__": "mistake"}
    with (
        contextlib.ExitStack() as names["ENDS"],
        _surroundings() as directory,
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        exec(compile(mistake.surroundings, f"{mistake.name}.py", "exec"), names)  # noqa: S102 - our own program
        said: list[str] = []
        try:
            exec(compile(mistake.program, "job.py", "exec"), names)  # noqa: S102 - our own program
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the user sees
            kind = type(error)
            said.append(f"{kind.__module__}.{kind.__qualname__}: {error}".removeprefix("builtins."))
        told = [f"{warning.category.__name__}: {warning.message}" for warning in warned]
        return _steady("\n".join((*told, *said)), directory, names)


def _steady(text: str, directory: str, names: dict[str, Any]) -> str:
    """Replace what is different in every run: paths, ids, ports."""
    text = text.replace(f"{directory}/", "").replace(directory, ".")
    if "PORT" in names:
        text = text.replace(str(names["PORT"]), "8081")
    text = re.sub(r"\b[0-9a-f]{32}\b", "5f2c…", text)
    text = re.sub(r"savepoint-[0-9a-f]{6}-[0-9a-f]{12}", "savepoint-5f2c07-…", text)
    text = re.sub(r"altered, \d+ bytes", "altered, 1646 bytes", text)
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return text.strip()


@contextlib.contextmanager
def _surroundings() -> Iterator[str]:
    """An empty directory, jobs in this process, and everything as it was afterwards."""
    settings = Configuration().set_string("flott.execution.target", "in-process")
    settings.set_string("restart-strategy.type", "none")
    before = Path.cwd()
    with (
        tempfile.TemporaryDirectory(prefix="mistake-") as directory,
        mock.patch.dict(os.environ),
        mock.patch.dict(sys.modules),
        mock.patch.object(
            sys, "path", [str(MISTAKES), *sys.path]
        ),  # what several of them share is a module beside them
        mock.patch.object(StreamExecutionEnvironment, "context_configuration", settings),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        os.chdir(directory)
        try:
            yield os.path.realpath(directory)
        finally:
            os.chdir(before)


def page() -> str:
    """Make all mistakes; return the text of the page."""
    return "\n".join([INTRODUCTION, *(_section(mistake) for mistake in mistakes())])


def _section(mistake: Mistake) -> str:
    said = "\n".join(
        textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False, drop_whitespace=True)
        if len(line) > WIDTH
        else line
        for line in message_of(mistake).splitlines()
    )
    reason = "<!-- tested by tests/docs/test_error_gallery.py: it fails, which is what error-gallery.md is about -->"
    return (
        f"## {mistake.title}\n\n{reason}\n```python\n{mistake.program}```\n\n```\n{said}\n```\n\n"
        f"**What to do.** {mistake.advice}\n"
    )


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is up to date; return the exit code."""
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        print("error gallery: ok")
        return 0
    print(f"{PAGE} is not what happens; run `make docs-reference`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
