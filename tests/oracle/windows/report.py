"""The page docs/window-oracle.md, written by every run of the oracle."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.oracle.windows.question import ENGINES
from tests.oracle.windows.verdict import KINDS

from pyflink_environment import PYFLINK

if TYPE_CHECKING:
    from tests.oracle.windows.verdict import Verdict

HEAD = """# Window transcripts on PyFlink

Written by `make oracle`; do not edit. Every case of `tests/transcripts/` that PyFlink can express has run, step by
step, as a job of {version}, and a second time on the Java API below it, to tell PyFlink's ways from Flink's.
Compared are, for each key, the results in their order, their windows and the watermark at which each came, and the
late elements. How many timers are left, what was dropped and whether state is empty can't be seen from outside a job;
the harness checks those. Cases with several input channels pass Flink's own `StatusWatermarkValve` first.

PyFlink runs with bundles of one record (`python.fn-execution.bundle.size: 1`). With its default, a watermark waits
for the end of a bundle of up to a thousand records or one second, and the elements behind it are in the windows
before those fire.
"""
WORDS = {
    "same": "same",
    "explained": "explained difference",
    "not expressible": "not expressible",
    "different": "DIFFERENT",
}


def report(verdicts: dict[str, list[dict[str, Verdict]]]) -> str:
    """Return the page: for each file and case, a verdict for each engine."""
    everything = [case for cases in verdicts.values() for case in cases]
    parts = [HEAD.format(version=PYFLINK.replace("==", " ")), _counts(verdicts)]
    parts += [
        _reasons(engine, kind, [case[engine] for case in everything])
        for kind in ("explained", "not expressible")
        for engine in ENGINES
    ]
    parts.append("## All cases\n")
    parts += [_cases(name, cases) for name, cases in verdicts.items()]
    return "\n".join(parts)


def _counts(verdicts: dict[str, list[dict[str, Verdict]]]) -> str:
    counts = {
        (name, engine): Counter(case[engine].kind for case in cases)
        for name, cases in verdicts.items()
        for engine in ENGINES
    }
    for engine in ENGINES:
        counts["**all**", engine] = sum((count for (_, of), count in counts.items() if of == engine), Counter())
    kinds = [kind for kind in KINDS if kind != "different" or any(count[kind] for count in counts.values())]
    lines = [_row("file", "on", "cases", *(WORDS[kind] for kind in kinds)), "|---" * (len(kinds) + 3) + "|"]
    lines += [
        _row(name, engine, count.total(), *(count[kind] for kind in kinds)) for (name, engine), count in counts.items()
    ]
    return "\n".join(lines) + "\n"


def _reasons(engine: str, kind: str, verdicts: list[Verdict]) -> str:
    reasons: dict[str, list[str]] = {}
    for verdict in verdicts:
        if verdict.kind == kind:
            reasons.setdefault(verdict.reason, []).append(verdict.case.name)
    lines = [f"## {WORDS[kind].capitalize()} on {engine}\n", "| why | cases |", "|---|---|"]
    lines += [_row(f"{reason[0].upper()}{reason[1:]}.", "<br>".join(names)) for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


def _cases(name: str, cases: list[dict[str, Verdict]]) -> str:
    lines = [f"### {name}\n", _row("case", *ENGINES), "|---" * (len(ENGINES) + 1) + "|"]
    lines += [_row(case[ENGINES[0]].case.name, *(WORDS[case[engine].kind] for engine in ENGINES)) for case in cases]
    return "\n".join(lines) + "\n"


def _row(*cells: object) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"
