"""Checks the architecture of src/flott: who may import whom, and what may not be there at all.

Run it with `make lint`, or `python tools/lint_layers.py [repository]`. It reads the source, never
imports it. Each finding is one line, `file:line: rule: message`; any finding makes exit code 1.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from source_imports import Import, Source, read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

# ------------------------------------------------------------------------------------ the rules

BASE = frozenset({"errors", "common", "runtime", "graph"})
EVERYTHING = BASE | {
    "datastream", "table", "cep", "state_processor",
    "connectors", "coordination", "metrics", "rest", "web", "spark", "notebook", "testing", "cli",
}  # fmt: skip

# A package may import itself and what stands in its row.
MAY_IMPORT: dict[str, frozenset[str]] = {
    "":                frozenset({"errors", "common"}),  # flott/__init__.py
    "errors":          frozenset(),
    "common":          frozenset({"errors"}),
    "runtime":         frozenset({"errors", "common"}),
    "metrics":         frozenset({"errors", "common", "runtime"}),
    "graph":           frozenset({"errors", "common", "runtime"}),
    "datastream":      BASE | {"connectors"},
    "table":           BASE | {"datastream", "connectors", "cep"},
    "cep":             BASE | {"datastream"},
    "state_processor": BASE | {"datastream", "coordination", "connectors"},
    "connectors":      frozenset({"errors", "common", "runtime"}),
    "coordination":    BASE | {"connectors", "metrics"},
    "rest":            BASE | {"coordination", "metrics", "web"},
    "web":             frozenset(),
    "spark":           BASE | {"coordination", "connectors"},
    "notebook":        frozenset({"errors", "common", "datastream", "table", "coordination", "rest"}),
    "testing":         EVERYTHING - {"spark", "notebook", "cli"},
    "cli":             EVERYTHING,
}  # fmt: skip

# Inside a function (so that importing the module loads nothing more), a module may also import:
MAY_IMPORT_LAZILY: dict[str, frozenset[str]] = {
    "flott.datastream": frozenset({"coordination"}),
    "flott.coordination.launch": frozenset({"rest"}),
    "flott.datastream.stream_execution_environment": frozenset({"spark", "testing"}),
    "flott.datastream._spark_frames": frozenset({"spark"}),
    "flott.table.connectors.spark": frozenset({"spark"}),
    "flott.table.spark_catalog": frozenset({"spark"}),
    "flott.table.spark_sql.run": frozenset({"spark"}),
    "flott.testing.spark": frozenset({"spark"}),
}

# Only this package imports pyspark.
PYSPARK_ROOM = "spark"

# This package is handed a clock and seeds; these names are not used in it.
DETERMINISTIC_ROOM = "runtime"
NONDETERMINISTIC: tuple[str, ...] = (
    "time", "random", "secrets", "numpy.random",
    "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today",
    "datetime.date.today",
    "pandas.Timestamp.now", "pandas.Timestamp.utcnow", "pandas.Timestamp.today",
    "os.urandom", "os.getrandom", "os.times",
    "uuid.uuid1", "uuid.uuid4", "uuid.uuid6", "uuid.uuid7", "uuid.uuid8",
)  # fmt: skip

# These packages do not ask for the time of day either: somebody may set it, and the job's clock may be another.
TIMELESS_ROOMS = frozenset({"connectors", "cep", "graph", "metrics"})
TIME_OF_DAY = (
    "time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.ctime",
    *(name for name in NONDETERMINISTIC if name.startswith(("datetime.", "pandas."))),
)  # fmt: skip

# A file or folder is named after an idea.
BANNED_NAMES = frozenset({"utils", "helpers"})
NAMED_ROOTS = ("src", "tools", "tests", "examples", "benchmarks")

MAX_LINES = 400
MEASURED_ROOTS = ("src", "tools")

# ------------------------------------------------------------------------------------ the checks


def check_pyspark(source: Source) -> Iterator[str]:
    """Yields a finding for each import of pyspark outside its room."""
    if source.package == PYSPARK_ROOM:
        return
    for imported in source.imports:
        if imported.module.partition(".")[0] == "pyspark":
            yield source.finding(
                imported.line,
                "pyspark",
                f"imports {imported.module}; only flott.{PYSPARK_ROOM} imports pyspark. "
                f"Put a Protocol here and implement it in flott.{PYSPARK_ROOM}.",
            )


def check_determinism(source: Source) -> Iterator[str]:
    """Yields a finding for each wall clock or source of randomness where there may be none."""
    if source.package == DETERMINISTIC_ROOM:
        banned, advice = NONDETERMINISTIC, "wall clock and no randomness. Take a clock or a seed as an argument."
    elif source.package in TIMELESS_ROOMS:
        banned, advice = TIME_OF_DAY, "wall clock. Take a clock as an argument; for intervals, its steady()."
    else:
        return
    for name, line in source.names:
        if any(name == one or name.startswith(f"{one}.") for one in banned):
            yield source.finding(line, "determinism", f"uses {name}; flott.{source.package} reads no {advice}")


def check_direction(source: Source) -> Iterator[str]:
    """Yields a finding for each import against the direction of the layers."""
    if source.package not in MAY_IMPORT:
        yield source.finding(
            1,
            "layers",
            f"package flott.{source.package} has no row in MAY_IMPORT of tools/lint_layers.py; "
            "add one that says what it may import.",
        )
        return
    for imported in source.imports:
        top, _, rest = imported.module.partition(".")
        target = rest.partition(".")[0]
        if top != "flott" or target == source.package or target not in MAY_IMPORT or not target:
            continue
        if target in MAY_IMPORT[source.package]:
            continue
        lazily = target in _may_import_lazily(source.module)
        if lazily and imported.lazy:
            continue
        yield source.finding(imported.line, "layers", _explain(source, imported, target, lazily))


def check_length(source: Source) -> Iterator[str]:
    """Yields a finding if the file is too long to be one idea."""
    if source.lines > MAX_LINES:
        yield source.finding(
            MAX_LINES + 1,
            "length",
            f"{source.lines} lines, at most {MAX_LINES}; one idea per file: split it.",
        )


def check_name(path: Path) -> Iterator[str]:
    """Yields a finding if a file, or a folder it lies in, has a name that says nothing."""
    for part in path.with_suffix("").parts:
        if part in BANNED_NAMES:
            yield f"{path}:1: name: '{part}' says nothing; name it after the idea it holds."


def _may_import_lazily(module: str) -> frozenset[str]:
    return frozenset().union(
        *(targets for owner, targets in MAY_IMPORT_LAZILY.items() if module == owner or module.startswith(f"{owner}."))
    )


def _explain(source: Source, imported: Import, target: str, lazily: bool) -> str:
    who = f"flott.{source.package}" if source.package else "flott/__init__.py"
    if lazily:
        return f"{who} may import flott.{target} only inside a function; move the import there."
    allowed = ", ".join(sorted(MAY_IMPORT[source.package])) or "nothing of flott"
    return f"{who} may not import {imported.module}; it may import {allowed}."


# ------------------------------------------------------------------------------------ the command


def lint(repository: Path) -> list[str]:
    """Returns the findings of every rule over a repository, in the order of its files."""
    findings: list[str] = []
    for path in _python_files(repository, NAMED_ROOTS):
        relative = path.relative_to(repository)
        findings.extend(check_name(relative))
        if relative.parts[0] not in MEASURED_ROOTS:
            continue
        source = read_source(path, repository)
        findings.extend(check_length(source))
        if relative.parts[:2] == ("src", "flott"):
            findings.extend(check_pyspark(source))
            findings.extend(check_determinism(source))
            findings.extend(check_direction(source))
    return findings


def _python_files(repository: Path, roots: tuple[str, ...]) -> list[Path]:
    return sorted(path for root in roots for path in (repository / root).rglob("*.py"))


def main(arguments: list[str]) -> int:
    """Prints the findings; returns the exit code."""
    repository = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    if not (repository / "src" / "flott").is_dir():
        print(f"{repository} has no src/flott: nothing to check", file=sys.stderr)
        return 2
    findings = lint(repository)
    print("\n".join(findings) if findings else "layers: ok")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
