"""Patterns that Flink SQL can express, over the same random events: MATCH_RECOGNIZE finds the same matches."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from cep_cases import Case
from pyflink_environment import pyflink_python, pyflink_variables

pytestmark = pytest.mark.oracle

JOB = Path(__file__).parent / "job" / "match_recognize.py"
KEYS, LENGTH = 150, 9

PATTERNS = {
    "(A B C)": "begin(a).next(b).next(c).where(bc)",
    "(A B+ C)": "begin(a).next(b).one_or_more().consecutive().greedy().next(c).where(bc)",
    "(A B+? C)": "begin(a).next(b).one_or_more().consecutive().next(c).where(bc)",
    "(A B* C)": "begin(a).next(b).one_or_more().optional().consecutive().greedy().next(c).where(bc)",
    "(A B*? C)": "begin(a).next(b).one_or_more().optional().consecutive().next(c).where(bc)",
    "(A B? C)": "begin(a).next(b).optional().next(c).where(bc)",
    "(A B{2} C)": "begin(a).next(b).times(2).consecutive().next(c).where(bc)",
    "(A B{1,3} C)": "begin(a).next(b).times(1, 3).consecutive().greedy().next(c).where(bc)",
    "(A B{1,3}? C)": "begin(a).next(b).times(1, 3).consecutive().next(c).where(bc)",
    "(A B{2,} C)": "begin(a).next(b).times_or_more(2).consecutive().greedy().next(c).where(bc)",
    "(A B+ C) WITHIN INTERVAL '3' SECOND": (
        "begin(a).next(b).one_or_more().consecutive().greedy().next(c).where(bc).within(3000)"
    ),
}
SKIPS = {"SKIP PAST LAST ROW": "past_last_event", "SKIP TO NEXT ROW": "to_next"}


def random_events():
    random = Random(5)
    return {key: [random.choice("aabbbcx") for _ in range(LENGTH)] for key in range(KEYS)}


def ask(events, folder):
    """Let Flink run each pattern with each way to skip, one query each."""
    rows = [(key, number, events[key][number]) for number in range(LENGTH) for key in events]
    queries = {f"{skip} {pattern}": {"pattern": pattern, "skip": skip} for pattern in PATTERNS for skip in SKIPS}
    asked, told = folder / "questions.json", folder / "answers.json"
    asked.write_text(json.dumps({"events": rows, "queries": queries}))
    python = pyflink_python()
    command = [str(python), str(JOB), str(asked), str(told)]
    subprocess.run(command, env=pyflink_variables(python), cwd=folder, check=True, timeout=1200)
    return json.loads(told.read_text())


def found(pattern, skip, key, letters):
    """What Flott finds, as the query shows it: a, first and last b, how many, c."""
    events = " ".join(f"{letter}{number}@{1000 * number}" for number, letter in enumerate(letters))
    for matches, _ in Case.parse(pattern, events, skip).run():
        for match in matches:
            stages = dict(part.split("=") for part in match.split())
            middle = [int(event[1:]) for event in stages.get("b", "").split(",") if event]
            ends = (middle[0], middle[-1]) if middle else (None, None)
            yield key, int(stages["a"][1:]), *ends, len(middle), int(stages["c"][1:])


def test_match_recognize(tmp_path):
    events = random_events()
    told = ask(events, tmp_path)
    wrong = {}
    for text, pattern in PATTERNS.items():
        for words, skip in SKIPS.items():
            ours = Counter(match for key, letters in events.items() for match in found(pattern, skip, key, letters))
            theirs = Counter(map(tuple, told[f"{words} {text}"]))
            assert theirs
            if ours != theirs:
                wrong[f"{words} {text}"] = (ours - theirs, theirs - ours)
    assert not wrong
