"""Runs the Python and SQL on pages of the documentation, and compares what they print with what the pages say.

Run it with `python tools/run_docs.py [--write] [page.md …]`; `--write` puts the real output into the pages. The tests
in `tests/docs` do the same for every page. The blocks of a page share their names, from top to bottom, and an empty
directory. Which blocks run, and how a page says so, is in doc_blocks.py.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from doc_blocks import Block, Page, read_page
from flott.cli.sql_script import statements_of
from flott.common import Configuration
from flott.common.pyflink_imports import PyFlinkFinder
from flott.datastream import StreamExecutionEnvironment
from flott.table import EnvironmentSettings, TableEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("python", "sql")


@dataclass(frozen=True, slots=True)
class Finding:
    """A block that did not print what the page says."""

    page: Path
    block: Block
    printed: str

    def __str__(self) -> str:
        """Tell what is said and what is true."""
        said = "nothing" if self.block.output is None else f"\n{self.block.output}"
        return f"{self.page}:{self.block.line}: the page says it prints {said}\nit prints\n{self.printed}"


def all_pages() -> list[Path]:
    """Return every page with code that may run: the docs and the README."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def check_page(page: Page) -> list[Finding]:
    """Run a page; return the blocks whose output is not what the page says."""
    return [Finding(page.path, block, printed) for block, printed in run_page(page) if not _as_said(block, printed)]


def run_page(page: Page) -> list[tuple[Block, str]]:
    """Run the blocks of a page in a directory of its own; return them with what they print."""
    names: dict[str, Any] = {"__name__": "page"}
    with _surroundings(page):
        return [(block, _printed_by(block, page, names)) for block in page.running(*LANGUAGES)]


def _printed_by(block: Block, page: Page, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if block.language == "sql":
            _run_sql(block.code, names)
        else:
            # Lines are counted as on the page, so that a traceback shows them.
            program = compile("\n" * (block.line - 1) + block.code, str(page.path), "exec")
            exec(program, names)  # noqa: S102 - our own page
    return printed.getvalue()


def _run_sql(code: str, names: dict[str, Any]) -> None:
    if "t_env" not in names:
        names["t_env"] = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for statement in statements_of(code):
        result = names["t_env"].execute_sql(statement.bare)
        if statement.bare.upper().startswith("INSERT"):
            result.wait()
        elif statement.bare.upper().startswith(("SELECT", "WITH", "SHOW", "DESCRIBE", "EXPLAIN")):
            result.print()


def _as_said(block: Block, printed: str) -> bool:
    if block.hidden:
        return True
    said, told = _lines(block.output or ""), _lines(printed)
    return sorted(said) == sorted(told) if block.any_order else said == told


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@contextlib.contextmanager
def _surroundings(page: Page) -> Iterator[None]:
    """An empty directory to run in, and where jobs are executed."""
    # The same on every machine, however many cores it has.
    settings = Configuration().set_integer("parallelism.default", 2)
    if page.on_spark:
        settings.set_string("flott.spark.master", "local[2]")
    else:
        settings.set_string("flott.execution.target", "in-process")
    before, modules, finders = Path.cwd(), set(sys.modules), list(sys.meta_path)
    StreamExecutionEnvironment.context_configuration = settings
    sys.meta_path.insert(0, PyFlinkFinder())
    with tempfile.TemporaryDirectory(prefix="page-") as directory:
        os.chdir(directory)
        if page.on_spark:
            from flott.spark.session import embedded_session  # pyspark is only for those who need it

            # Quiet, and with as few partitions as a small machine needs; a program that asks for a session gets this.
            embedded_session(settings)
        try:
            yield
        finally:
            os.chdir(before)
            StreamExecutionEnvironment.context_configuration = None
            sys.meta_path[:] = finders
            for name in set(sys.modules) - modules:
                if name.partition(".")[0] == "pyflink":
                    del sys.modules[name]


def written(page: Page, text: str) -> str:
    """Return the text of a page with what its blocks really print."""
    lines = text.splitlines(keepends=True)
    for block, printed in reversed(run_page(page)):
        if _as_said(block, printed):
            continue
        told = "".join(f"{line}\n" for line in _lines(printed))
        if block.output is None:
            end = block.line + block.code.count("\n")
            lines[end:end] = ["\n", "```\n", told, "```\n"]
        else:
            start = block.output_line - 1
            lines[start : start + block.output.count("\n")] = [told]
    return "".join(lines)


def main(arguments: list[str]) -> int:
    """Check pages, or write them anew; return the exit code."""
    write = "--write" in arguments
    paths = [Path(name) for name in arguments if name != "--write"] or all_pages()
    findings: list[Finding] = []
    for path in paths:
        page = read_page(path)
        if not page.running(*LANGUAGES):
            continue
        if write:
            path.write_text(written(page, path.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            findings += check_page(page)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
