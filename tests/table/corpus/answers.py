"""Flink's answers, as they are kept: a line for each question, compressed.

Only questions that have an answer are compared; `python -m tests.oracle.corpus.record` asks all of them.
A line is ``[columns, text, type, values]``, or ``[columns, text, null, error]`` where Flink refuses the expression.
Values are strings; a row for which Flink fails has ``{"error": …}`` in the place of its value.
`python -m tests.table.corpus.answers WORD…` prints the lines that have these words.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from tests.table.corpus.questions import Question, questions

PATH = Path(__file__).with_name("answers.jsonl.gz")
ZONE = "Europe/Berlin"
"""The zone of the session, one with summer time."""


def by_columns():
    """All questions, by the columns that they are about."""
    groups: dict[tuple[str, ...], list[Question]] = {}
    for question in questions():
        groups.setdefault(question.columns, []).append(question)
    return groups


def write(answers):
    """Keep answers, the same bytes for the same ones."""
    lines = [
        json.dumps([list(asked.columns), asked.text, *told], ensure_ascii=False) for asked, told in answers.items()
    ]
    PATH.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0))


def read():
    """Flink's type and values by question."""
    lines = gzip.decompress(PATH.read_bytes()).decode().splitlines()
    return {Question(text, tuple(names)): told for names, text, *told in map(json.loads, lines)}


if __name__ == "__main__":
    for line in gzip.decompress(PATH.read_bytes()).decode().splitlines():
        if all(word in line for word in sys.argv[1:]):
            print(line)  # noqa: T201 - it is a command
