"""The page docs/pyflink-examples.md, from what is expected of each example; the oracle holds it to that."""

from __future__ import annotations

from collections import Counter

from pyflink_environment import PYFLINK

HEAD = """# PyFlink's examples on Flott

Written by `make oracle`; do not edit. The programs are those in `pyflink/examples` of {version}, unmodified, run with
`flott run --pyflink`. *same*: it prints what it prints on PyFlink, the order of lines aside. *runs*: it runs
to its end, or prints without end; the last column says why that is not compared with PyFlink.

{counts}

| example | on Flott | |
|---|---|---|
"""


def verdict_of(expected: dict[str, str]) -> str:
    """Return the one word of an entry: same, runs, not yet, needs."""
    return next(iter(expected)) if isinstance(expected, dict) else expected


def report(expected: dict[str, str | dict[str, str]]) -> str:
    """Return the page."""
    counts = Counter(map(verdict_of, expected.values()))
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ("same", "runs", "needs", "not yet"))
    rows = [
        f"| `{name}` | {verdict_of(entry)} | {entry[verdict_of(entry)] if isinstance(entry, dict) else ''} |"
        for name, entry in sorted(expected.items())
    ]
    version = PYFLINK.replace("==", " ")
    return HEAD.format(version=version, counts=f"Of {len(expected)}: {told}.") + "\n".join(rows) + "\n"
