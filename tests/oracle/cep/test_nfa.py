"""Every CEP transcript and random patterns on Flink's own NFA: the same matches and timeouts, in the same order."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
import yaml
from tests.oracle.cep.random_cases import random_case

from cep_cases import Case
from flink_nfa import answers, steps
from flott.cep.compile_nfa import compile_nfa

pytestmark = pytest.mark.oracle

TRANSCRIPTS = Path(__file__).parents[2] / "cep" / "transcripts"
RANDOM_CASES = int(os.environ.get("CEP_ORACLE_CASES", "3000"))


def test_transcripts():
    transcripts = [one for path in sorted(TRANSCRIPTS.glob("*.yaml")) for one in yaml.safe_load(path.read_text())]
    cases = [Case.parse(one["pattern"], one["events"], one.get("skip", "no_skip")) for one in transcripts]
    wrong = []
    for transcript, answer in zip(transcripts, answers(cases), strict=True):
        found = steps(answer)
        matches = [match for some, _ in found for match in some]
        timeouts = [timeout for _, some in found for timeout in some]
        same = (matches, timeouts) == (transcript["matches"], transcript.get("timed_out", []))
        if same == ("flink" in transcript):
            wrong.append((transcript["name"], matches, timeouts))
    assert not wrong


def states_of(case):
    """The automaton as Flink shows it: the transitions of each state, by name."""
    nfa = compile_nfa(case.pattern())
    return {
        state.name: [f"{edge.action.name} {nfa.states[edge.target].name}" for edge in state.transitions]
        for state in nfa.states
    }


def reachable(states):
    """Flink's states without those that nothing leads to."""
    (start,) = [name for name, state in states.items() if state["kind"] == "Start"]
    found = {}
    todo = [start]
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = states[name]["edges"]
            todo += [edge.split(" ", 1)[1] for edge in found[name]]
    return found


def test_random_patterns():
    random = Random(20)
    texts, cases = zip(*(random_case(random) for _ in range(RANDOM_CASES)), strict=True)
    wrong = []
    for text, case, answer in zip(texts, cases, answers(list(cases)), strict=True):
        if "error" in answer:
            wrong.append((text, answer["error"]))
        elif reachable(answer["states"]) != states_of(case):
            wrong.append((text, "another automaton"))
        elif steps(answer) != case.run():
            wrong.append((text, steps(answer)))
    assert not wrong
