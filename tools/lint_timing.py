"""Checks that tests wait for conditions and never for time.

Run it with `make lint`, or `python tools/lint_timing.py [repository]`. A test takes no pause, reads no wall clock and
compares no duration, and neither does a program that it holds as a string; `tests/waiting.py` waits for all of them. It
reads the source, never imports it. Each finding is one line, `file:line: timing: message`; any finding makes exit
code 1.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from source_imports import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

# ------------------------------------------------------------------------------------ the rules

CLOCKS = frozenset({
    "time.time", "time.time_ns", "time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns",
    "time.process_time", "time.process_time_ns", "time.thread_time", "time.thread_time_ns", "time.clock_gettime",
    "time.clock_gettime_ns", "time.localtime", "time.gmtime", "time.ctime", "os.times", "resource.getrusage",
    "timeit.default_timer", "timeit.timeit", "timeit.repeat",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today",
    "pandas.Timestamp.now", "pandas.Timestamp.utcnow", "pandas.Timestamp.today",
})  # fmt: skip
LOOPS = frozenset({"loop", "event_loop", "get_event_loop", "get_running_loop", "new_event_loop"})
"""What has the clock of asyncio, as its method `time`."""
SLEEPS = frozenset({
    "time.sleep", "asyncio.sleep", "trio.sleep", "gevent.sleep", "signal.pause", "signal.sigtimedwait",
    "threading.Timer",
})  # fmt: skip
SLEEP_IN_A_STRING = re.compile(r"\b(?:time|asyncio)\.sleep\(|\bimport sleep\b|(?:^|[;&|\n(])\s*sleep +[\d.$]")
WAITS = frozenset({"wait", "wait_for", "join", "settimeout", "result", "select", "poll", "acquire", "communicate"})
"""Functions that take a timeout as an argument without a name."""
DURATIONS = frozenset({"elapsed", "took", "total_seconds", "get_net_runtime", "net_runtime", "wall_time", "wall"})
"""What holds or returns a measured time."""
WAITERS = frozenset({"wait_until", "wait_till", "poll_until", "wait_for_condition", "eventually", "retry_until"})
OTHER_WAITERS = frozenset({
    "selenium.webdriver.support.wait.WebDriverWait", "selenium.webdriver.support.ui.WebDriverWait",
})  # fmt: skip
SHORTEST_TIMEOUT = 1.0
"""Seconds; a shorter timeout decides on a busy machine, or is a pause."""

PAUSE, CLOCK, TIMEOUT, DURATION, WAITER = "pause", "clock", "timeout", "duration", "waiter"

# A file may do what stands in its row, for the reason behind it.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("tests/waiting.py", PAUSE): "the one place where tests wait",
    ("tests/waiting.py", CLOCK): "its deadline",
    ("tests/waiting.py", WAITER): "the one there is",
    ("tests/web/conftest.py", CLOCK): "the event time of a job that the page shows live; nothing is compared with it",
    ("tests/chaos/campaign.py", CLOCK): "how long it goes on disturbing jobs",
    ("tests/chaos/storage_points.py", TIMEOUT): "how long storage stalls where no test ends it sooner",
    ("tests/chaos/test_files.py", TIMEOUT): "the pace at which input is written; nothing waits for it",
    ("tests/chaos/test_kafka.py", TIMEOUT): "the pace at which input is written; nothing waits for it",
    ("tests/oracle/sql/job/flink_sql.py", PAUSE): "cancels a query of Flink that does not end",
    ("tests/tools/test_lint_layers.py", PAUSE): "what that linter has to find",
    ("tests/tools/test_lint_timing.py", PAUSE): "what this linter has to find",
}

ADVICE = {
    PAUSE: "wait for a condition: tests/waiting.py",
    CLOCK: "hand in a clock (flott.runtime.clock.ManualClock), or wait for a condition: tests/waiting.py",
    TIMEOUT: "wait for a condition, or for an event with tests.waiting.PATIENCE",
    DURATION: "what a busy machine takes decides; count calls or records, or hand in a clock",
    WAITER: "use wait_until of tests/waiting.py, whose failure says what it waited for and what it saw",
}

Numbers: TypeAlias = "dict[str, float]"
"""The constants of a module, by name."""

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
    """Yields every pause, reading of a clock, short timeout and comparison of durations of a file."""
    source = read_source(path, repository)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]
    yields = {node.lineno for node in nodes if _only_yields(node)}
    for name, line in source.names:
        if name in CLOCKS:
            yield Finding(source.path, line, CLOCK, name)
        elif name in SLEEPS and line not in yields:
            yield Finding(source.path, line, PAUSE, name)
        elif name in OTHER_WAITERS:
            yield Finding(source.path, line, WAITER, name)
    constants = _constants(tree)
    for node in nodes:
        for kind in _kinds(node, constants):
            yield Finding(source.path, node.lineno, kind, ast.unparse(node).partition("\n")[0][:80])


def _kinds(node: ast.expr | ast.stmt, constants: Numbers) -> Iterator[str]:
    """Yields what one node does with time, other than by the names that it uses."""
    if isinstance(node, ast.Call):
        yield from _kinds_of_call(node, constants)
    elif isinstance(node, ast.Compare) and _is_bound_of_duration(node, constants):
        yield DURATION
    elif isinstance(node, ast.FunctionDef) and node.name in WAITERS:
        yield WAITER
    elif (isinstance(node, ast.Constant) and _sleeps(node.value)) or (
        isinstance(node, ast.List | ast.Tuple) and len(node.elts) > 1 and _is(node.elts[0], "sleep")
    ):
        yield PAUSE


def _kinds_of_call(call: ast.Call, constants: Numbers) -> Iterator[str]:
    name = _last_name(call.func)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if name == "wait" and call.args and owner is not None and _is_new_event(owner):
        yield PAUSE
    elif any(_is_short(argument, constants) for argument in _timeouts(call, name)):
        yield TIMEOUT
    if name == "getattr" and len(call.args) > 1 and _is(call.args[1], "sleep"):
        yield PAUSE
    if name == "time" and owner is not None and _last_name(owner) in LOOPS:
        yield CLOCK
    if name == "Timestamp" and any(_is(argument, "now") for argument in call.args):
        yield CLOCK


def _last_name(node: ast.expr) -> str:
    """Returns `wait` of `threading.Event().wait` and of `wait`, and `Event` of `threading.Event()`."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is(node: ast.expr, value: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == value


def _sleeps(value: object) -> bool:
    """Whether it is a program or a command that takes a pause."""
    return isinstance(value, str) and SLEEP_IN_A_STRING.search(value) is not None


def _only_yields(node: ast.AST) -> bool:
    """Whether it is `asyncio.sleep(0)`: that lets other coroutines run, and takes no time."""
    return isinstance(node, ast.Call) and ast.unparse(node) == "asyncio.sleep(0)"


def _is_new_event(node: ast.expr) -> bool:
    """Whether it is an event that nobody can set, as in `threading.Event().wait(1)`."""
    return isinstance(node, ast.Call) and _last_name(node) in {"Event", "Condition"}


def _timeouts(call: ast.Call, name: str) -> Iterator[ast.expr]:
    if name in WAITS:
        yield from call.args
    yield from (keyword.value for keyword in call.keywords if keyword.arg == "timeout")


def _is_short(node: ast.expr, constants: Numbers) -> bool:
    seconds = _number(node, constants)
    return seconds is not None and 0 < seconds < SHORTEST_TIMEOUT


def _is_bound_of_duration(node: ast.Compare, constants: Numbers) -> bool:
    """Whether a duration must be below a number, as in `took < 2`; above one it may be on any machine."""
    sides = [node.left, *node.comparators]
    for left, operator, right in zip(sides, node.ops, node.comparators, strict=False):
        below, above = (left, right) if isinstance(operator, ast.Lt | ast.LtE) else (right, left)
        ordered = isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        if ordered and _last_name(below) in DURATIONS and _number(above, constants) is not None:
            return True
    return False


def _constants(tree: ast.Module) -> Numbers:
    """Returns the numbers that names of a module stand for."""
    found: Numbers = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and (number := _number(node.value, found)) is not None:
            found.update({target.id: number for target in node.targets if isinstance(target, ast.Name)})
    return found


def _number(node: ast.expr, constants: Numbers) -> float | None:
    """Returns the number that an expression of constants stands for."""
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        left, right = _number(node.left, constants), _number(node.right, constants)
        if left is None or right is None or (right == 0 and isinstance(node.op, ast.Div)):
            return None
        return left * right if isinstance(node.op, ast.Mult) else left / right
    return None


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
