"""Asks Flink SQL: several programs in one process of PyFlink, since starting Java takes longest."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from pyflink_environment import pyflink_python, pyflink_variables

JOB = Path(__file__).parent / "job" / "flink_sql.py"
HALF_AN_HOUR = 1800


def ask(folder, programs):
    """What Flink answers to each program: ``rows`` that are left at the end, or an ``error``.

    A program is a dict with ``statements``, then ``queries`` by name, and ``options``; ``expressions`` are asked
    together, and each has the answer to a query of its own. ``keys`` says for some queries
    how many columns are the key, where Flink tells each new row without taking back the old one.
    """
    asked, told = folder / "questions.json", folder / "answers.json"
    asked.write_text(json.dumps(programs, default=str))
    python = pyflink_python()
    command = [str(python), str(JOB), str(asked), str(told)]
    subprocess.run(command, env=pyflink_variables(python), cwd=folder, check=True, timeout=HALF_AN_HOUR)
    return json.loads(told.read_text())
