"""Writes the savepoints of all cases: of the version that runs this.

    PYTHONPATH=src:. python -m tests.golden.write_cases [NAME ...]

Those of an earlier version are never written again: they show that this version still restores them. The folder
``cases-733b7db`` is what the commit of that name wrote.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.golden import cep_cases, join_cases, key_cases, sql_cases, state_cases, window_cases

FOLDER = Path(__file__).parent / "cases-733b7db"
CASES = {
    case.name: case
    for module in (state_cases, key_cases, window_cases, join_cases, cep_cases, sql_cases)
    for case in module.CASES
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or CASES:
        sys.stdout.write(f"{name}\n")
        CASES[name].write(FOLDER)
