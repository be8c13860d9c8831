"""What the second stage found of two revisions, kept so that a rerun goes on where the last one ended."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.compare.revisions import PARTS, Revision, cache_folder
from benchmarks.compare.stages import Subject


def results_of(old: Revision, new: Revision) -> Path:
    """Return the file with the results of a pair of revisions."""
    return cache_folder() / "results" / f"{old.key(*PARTS)}-{new.key(*PARTS)}.json"


def load(path: Path, subjects: list[Subject]) -> None:
    """Give the subjects what an earlier run found of them."""
    if not path.exists():
        return
    found = json.loads(path.read_text())
    for subject in subjects:
        if kept := found.get(subject.name):
            subject.ratios, subject.cpu_ratios, subject.seconds = kept["ratios"], kept["cpu_ratios"], kept["seconds"]


def save(path: Path, subject: Subject) -> None:
    """Keep what is known of a subject, beside that of the others."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = json.loads(path.read_text()) if path.exists() else {}
    found[subject.name] = {
        "ratios": subject.ratios,
        "cpu_ratios": subject.cpu_ratios,
        "seconds": subject.seconds,
    }
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(found, indent=1))
    fresh.replace(path)
