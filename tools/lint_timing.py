"""Checks that tests wait for conditions and never for time.

Run it with `make lint`, or `python tools/lint_timing.py [repository]`. A test takes no pause and reads no wall clock;
`tests/waiting.py` does both, in one place. It reads the source, never imports it. Each finding is one line,
`file:line: timing: message`; any finding makes exit code 1.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from source_imports import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

# ------------------------------------------------------------------------------------ the rules

CLOCKS = frozenset({
    "time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today",
    "pandas.Timestamp.now", "pandas.Timestamp.utcnow", "pandas.Timestamp.today",
})  # fmt: skip
SLEEPS = frozenset({"time.sleep", "asyncio.sleep"})
WAITS = frozenset({"wait", "wait_for", "join", "settimeout"})
"""Methods that take a timeout."""
SHORTEST_TIMEOUT = 1.0
"""Seconds; a shorter timeout decides on a busy machine, or is a pause."""

PAUSE, CLOCK, TIMEOUT = "pause", "clock", "timeout"

# A file may do what stands in its row, for the reason behind it.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("tests/waiting.py", PAUSE): "the one place where tests wait",
    ("tests/waiting.py", CLOCK): "its deadline",
    ("tests/web/conftest.py", CLOCK): "the event time of a job that the page shows live; nothing is compared with it",
    ("tests/chaos/campaign.py", CLOCK): "how long it goes on disturbing jobs",
    ("tests/chaos/test_files.py", TIMEOUT): "the pace at which input is written; nothing waits for it",
    ("tests/chaos/test_kafka.py", TIMEOUT): "the pace at which input is written; nothing waits for it",
}

ADVICE = {
    PAUSE: "wait for a condition: tests/waiting.py",
    CLOCK: "hand in a clock (flott.runtime.clock.ManualClock), or wait for a condition: tests/waiting.py",
    TIMEOUT: "wait for a condition, or for an event with tests.waiting.PATIENCE",
}

# ------------------------------------------------------------------------------------ the checks


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One use of time in a test."""

    path: str
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: timing: {self.kind} {self.text}; {ADVICE[self.kind]}"


def uses_of_time(path: Path, repository: Path) -> Iterator[Finding]:
    """Yields every pause, every reading of a clock and every short timeout of a file."""
    source = read_source(path, repository)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    yields = {call.lineno for call in calls if _only_yields(call)}
    for name, line in source.names:
        if name in CLOCKS:
            yield Finding(source.path, line, CLOCK, name)
        elif name in SLEEPS and line not in yields:
            yield Finding(source.path, line, PAUSE, name)
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in WAITS:
            if call.args and _is_new_event(call.func.value):
                yield Finding(source.path, call.lineno, PAUSE, ast.unparse(call))
            elif any(_is_short(argument) for argument in _arguments(call)):
                yield Finding(source.path, call.lineno, TIMEOUT, ast.unparse(call))


def _only_yields(call: ast.Call) -> bool:
    """Whether it is `asyncio.sleep(0)`: that lets other coroutines run, and takes no time."""
    return ast.unparse(call) == "asyncio.sleep(0)"


def _is_new_event(node: ast.expr) -> bool:
    """Whether it is an event that nobody can set, as in `threading.Event().wait(1)`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {"Event", "Condition"}


def _arguments(node: ast.Call) -> Iterator[ast.expr]:
    yield from node.args
    yield from (keyword.value for keyword in node.keywords if keyword.arg == "timeout")


def _is_short(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and 0 < node.value < SHORTEST_TIMEOUT
    )


# ------------------------------------------------------------------------------------ the command


def lint(repository: Path) -> list[str]:
    """Returns the findings over the tests of a repository, and the exceptions that nothing needs any more."""
    files = sorted((repository / "tests").rglob("*.py"))
    found = sorted(finding for path in files for finding in uses_of_time(path, repository))
    used = {(finding.path, finding.kind) for finding in found}
    unused = [key for key in EXCEPTIONS if key not in used and (repository / key[0]).exists()]
    return [
        *(str(finding) for finding in found if (finding.path, finding.kind) not in EXCEPTIONS),
        *(
            f"{path}:1: timing: no {kind} here; remove it from EXCEPTIONS in {Path(__file__).name}"
            for path, kind in unused
        ),
    ]


def main(arguments: list[str]) -> int:
    """Prints the findings; returns the exit code."""
    repository = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if not (repository / "tests").is_dir():
        print(f"{repository} has no tests: nothing to check", file=sys.stderr)
        return 2
    findings = lint(repository)
    print("\n".join(findings) if findings else "timing: ok")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
