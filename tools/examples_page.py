"""Writes docs/examples.md: what each example says about itself, and what it prints.

Run it with `make examples-page`, or `python tools/examples_page.py`. The examples run in this process, without Spark;
on Spark they print the same. A test compares the page with what the examples print now.
"""

from __future__ import annotations

import ast
import runpy
import sys
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES, PAGE = ROOT / "examples", ROOT / "docs" / "examples.md"
NAMES = (
    "word_count", "top_items_per_minute", "session_funnel", "late_data", "iot_alerting", "dynamic_rules",
    "fraud_detection", "async_enrichment", "exactly_once_postgres", "sql_dashboard", "stream_table_join",
    "state_bootstrap", "nexmark",
)  # fmt: skip
"""From the first to read to the last."""

HEAD = """\
# Examples

Small programs that do one thing each. Their data is made by a seeded generator (`examples/sample_data.py`), so that
they print what is shown here, on Spark and without it. `flott run examples/word_count.py` runs one on embedded Spark,
as does `python examples/word_count.py`; `flott run --local examples/word_count.py` takes no
Spark and no Java, and starts within a second. Where workers are on other machines, send the modules along that an
example imports: `-D python.files=examples/sample_data.py,examples/drawing.py`.

This page is written by `tools/examples_page.py`. Two more programs have no place on it: `examples/orders_demo.py`,
a table on the terminal that changes for as long as you like, and
[examples/redis_connector](../examples/redis_connector/README.md), a connector as a package of its own.
"""


def section(name: str, output: str) -> str:
    """Return the part of the page about one example."""
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(source)) or ""
    return f"\n## {name}\n\n[examples/{name}.py](../examples/{name}.py): {said}\n\n```\n{output.rstrip()}\n```\n"


def output_of(name: str) -> str:
    """Run an example in this process, and return what it prints."""
    printed = StringIO()
    with in_process(), redirect_stdout(printed):
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    return printed.getvalue()


@contextmanager
def in_process() -> Iterator[None]:
    """Let programs find what lies beside them, and run without Spark."""
    path, arguments = sys.path[:], sys.argv
    before = StreamExecutionEnvironment.context_configuration
    sys.path.insert(0, str(EXAMPLES))
    sys.argv = arguments[:1]
    target = Configuration().set_string("flott.execution.target", "in-process")
    StreamExecutionEnvironment.context_configuration = target
    try:
        yield
    finally:
        sys.path[:], sys.argv = path, arguments
        StreamExecutionEnvironment.context_configuration = before


def main() -> None:
    """Write the page."""
    sections = []
    for name in NAMES:
        print(name, flush=True)
        sections.append(section(name, output_of(name)))
    PAGE.write_text(HEAD + "".join(sections), encoding="utf-8")
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
