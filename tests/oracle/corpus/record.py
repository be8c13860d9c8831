"""Asks Flink the questions of the corpus, and records its answers.

PYTHONPATH=tools:. python -m tests.oracle.corpus.record
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

from tests.table.corpus.answers import ZONE, by_columns, write
from tests.table.corpus.edge_values import COLUMNS, as_json, rows_of

from pyflink_environment import pyflink_python, pyflink_variables

JOB = Path(__file__).parent / "job" / "flink_answers.py"


def ask(folder, wanted=None):
    """What Flink answers to every question, or to those that are wanted."""
    tables = []
    chosen = {names: [one for one in asked if wanted is None or one in wanted] for names, asked in by_columns().items()}
    groups = {names: asked for names, asked in chosen.items() if asked}
    for number, (names, asked) in enumerate(groups.items()):
        rows, path = rows_of(names), folder / f"{number}.json"
        path.write_text(
            "".join(
                json.dumps({"id": place, **dict(zip("ab", map(as_json, row), strict=False))}) + "\n"
                for place, row in enumerate(rows)
            ),
            encoding="utf-8",
        )
        kinds = [[name, COLUMNS[column].kind] for name, column in zip("ab", names, strict=False)]
        texts = [question.text for question in asked]
        tables.append({"columns": kinds, "path": f"file://{path}", "rows": len(rows), "texts": texts, "zone": ZONE})
    (folder / "questions").write_text(json.dumps(tables), encoding="utf-8")
    python = pyflink_python()
    command = [str(python), str(JOB), str(folder / "questions"), str(folder / "answers")]
    subprocess.run(command, env=pyflink_variables(python), cwd=folder, check=True)
    lines = (folder / "answers").read_text(encoding="utf-8").splitlines()
    every = [question for asked in groups.values() for question in asked]
    return {question: json.loads(line)[1:] for question, line in zip(every, lines, strict=True)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        write(ask(Path(made)))
