"""What was found, as a table, and whether it is a failure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.compare.intervals import LOSS, MEAN_LOSS, Interval, Verdict, mean_of, verdict
from benchmarks.compare.stages import Subject


def table(subjects: Iterable[Subject]) -> str:
    """Return a line per scenario: ratio, interval, pairs, verdict."""
    width = max(len(subject.name) for subject in subjects)
    lines = [f"{'scenario':{width}}  new/old  95 % interval   pairs  verdict"]
    lines += [f"{subject.name:{width}}  {line(subject)}" for subject in subjects]
    return "\n".join(lines)


def line(subject: Subject) -> str:
    if subject.error is not None:
        return f"FAILED  {subject.error.strip().splitlines()[-1][:200]}"
    if not subject.ratios:
        return "   -    not measured"
    found = subject.interval
    text = f"{found.middle:7.3f}  {shown(found)}  {len(subject.ratios):5}  {verdict(found).value}"
    if subject.target == "spark":
        text += f"  (CPU time {median(subject.cpu_ratios):.3f})"
    return text


def median(ratios: list[float]) -> float:
    return sorted(ratios)[len(ratios) // 2]


def shown(interval: Interval) -> str:
    return f"{interval.low:.3f} .. {interval.high:.3f}" if interval.low > 0 else "too few pairs "


def failures(subjects: Iterable[Subject]) -> list[str]:
    """Return why the new revision is too slow; nothing if it is not, or that is undecided."""
    found, measured = [], []
    for subject in subjects:
        if subject.error is not None:
            found.append(f"{subject.name} failed: {subject.error}")
        elif subject.ratios:
            measured.append(subject.interval)
            if verdict(measured[-1]) is Verdict.SLOWER:
                found.append(f"{subject.name}: the whole interval is below {LOSS}")
    if measured and mean_of(measured).high < MEAN_LOSS:
        found.append(f"geometric mean {mean_of(measured).middle:.3f}: below {MEAN_LOSS}")
    return found


def summary(subjects: list[Subject]) -> str:
    """Return the geometric mean, and how many scenarios could not be decided."""
    measured = [subject for subject in subjects if subject.ratios and subject.error is None]
    if not measured:
        return "nothing was measured"
    mean = mean_of([subject.interval for subject in measured])
    undecided = sum(verdict(subject.interval) is Verdict.UNDECIDED for subject in measured)
    return (
        f"geometric mean {mean.middle:.3f} ({shown(mean).strip()}) of {len(measured)}; {undecided} undecided, "
        f"{len(subjects) - len(measured)} not measured"
    )


def too_busy(subjects: list[Subject]) -> str:
    """Return a warning of what nobody knows the speed of; nothing if all was decided."""
    ran = [subject for subject in subjects if subject.error is None]
    unknown = sum(not subject.ratios or verdict(subject.interval) is Verdict.UNDECIDED for subject in ran)
    if not unknown:
        return ""
    return f"WARNING: {unknown} of {len(ran)} undecided: the machine was too busy; give it more time with MINUTES=…"


def processor_ticks() -> tuple[int, int]:
    """Return what was stolen from this machine's processors, and all, since it started; zeros where nobody counts."""
    path = Path("/proc/stat")
    if not path.exists():
        return 0, 0
    ticks = list(map(int, path.read_text().split("\n", 1)[0].split()[1:9]))
    return ticks[7], sum(ticks)


def steal(before: tuple[int, int], after: tuple[int, int]) -> float:
    """Return the part of the CPU time that other guests of the host took.

    >>> steal((10, 1000), (20, 1200))
    0.05
    """
    return (after[0] - before[0]) / max(after[1] - before[1], 1)
