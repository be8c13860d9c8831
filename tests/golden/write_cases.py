"""Writes the savepoints of all cases: of the version that runs this.

    PYTHONPATH=src:. python -m tests.golden.write_cases [NAME ...]

Those of an earlier version are never written again: they show that this version still restores them. The folder
``cases-733b7db`` is what the commit of that name wrote.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from tests.golden import cep_cases, join_cases, key_cases, sql_cases, state_cases, window_cases

FOLDER = Path(__file__).parent / "cases-733b7db"
SAVEPOINTS = [
    case for module in (state_cases, key_cases, window_cases, join_cases, cep_cases, sql_cases) for case in module.CASES
]
IN_CHECKPOINTS = {
    "state-value", "state-list", "state-map", "state-pickled", "keys-plain-states", "keys-other-states",
    "windows-tumbling-listed", "windows-sessions-reduced", "columns-tumbling", "columns-sessions", "join-interval",
    "cep-relaxed", "sql-group", "sql-join", "sql-rank", "sql-tumble",
}  # fmt: skip
CHECKPOINTS = [
    replace(case, name=f"{case.name}-checkpoint", checkpoint=True) for case in SAVEPOINTS if case.name in IN_CHECKPOINTS
]
CASES = {case.name: case for case in [*SAVEPOINTS, *CHECKPOINTS]}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or CASES:
        sys.stdout.write(f"{name}\n")
        CASES[name].write(FOLDER)
