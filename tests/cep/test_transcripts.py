"""Every transcript, on the automaton: pattern, events, expected matches in order, expected timeouts in order."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cep_cases import Case

FOLDER = Path(__file__).parent / "transcripts"
YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The quick one, where there is one."""

TRANSCRIPTS = [
    pytest.param(transcript, id=f"{path.stem}: {transcript['name']}")
    for path in sorted(FOLDER.glob("*.yaml"))
    for transcript in yaml.load(path.read_text(), YAML)  # noqa: S506 - safe
]


@pytest.mark.parametrize("transcript", TRANSCRIPTS)
def test_finds_what_the_transcript_says(transcript):
    case = Case.parse(transcript["pattern"], transcript["events"], transcript.get("skip", "no_skip"))
    steps = case.run()
    assert [match for matches, _ in steps for match in matches] == transcript["matches"]
    assert [timeout for _, timeouts in steps for timeout in timeouts] == transcript.get("timed_out", [])


def test_there_are_transcripts_of_each_kind():
    assert len(TRANSCRIPTS) >= 300
    kinds = "contiguity groups iterative loops not optional quantifiers skip_strategies until within"
    assert {path.stem for path in FOLDER.glob("*.yaml")} == set(kinds.split())
