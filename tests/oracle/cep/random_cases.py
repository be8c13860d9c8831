"""Random patterns and events: everything the API has, in every combination that Flink can run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cep_cases import Case
from flott.cep import MalformedPatternError
from flott.cep.compile_nfa import compile_nfa

if TYPE_CHECKING:
    from random import Random

REPEATS = [
    *["one_or_more()"] * 4, "times_or_more(1)", "times_or_more(2)",
    "times(2)", "times(3)", "times(1, 2)", "times(2, 3)",
]  # fmt: skip
STRATEGIES = ["no_skip", "no_skip", "to_next", "past_last_event", "to_first", "to_last"]


def random_case(random: Random) -> tuple[str, Case]:
    """Return a case that can be compiled, and its text."""
    while True:
        names: list[str] = []
        pattern = _chain(random, "", random.choice([1, 2, 2, 3, 3, 4]), names)
        if random.random() < 0.4:
            pattern += f".within({random.choice([3, 5, 8])})"
        skip = random.choice(STRATEGIES)
        # Flink does not find stages inside groups.
        skip += f" {random.choice(names)}" if skip.startswith("to_") and skip != "to_next" else ""
        events = _events(random)
        case = Case.parse(pattern, events, skip)
        try:
            compile_nfa(case.pattern())
        except MalformedPatternError:
            continue
        if not _flink_fails(pattern):
            return f"{pattern}; {skip}; {events}", case


def _flink_fails(pattern: str) -> bool:
    """Flink compiles a NOT before an optional greedy loop with until to a transition that leads nowhere."""
    return "not_followed_by" in pattern and "optional" in pattern and "greedy" in pattern and "until" in pattern


def _chain(random: Random, suffix: str, count: int, names: list[str]) -> str:
    stages: list[str] = []
    absent = False
    for number in range(count):
        name = f"{random.choice('abc')}{number}{suffix}"
        calls = ["next", "followed_by", "followed_by_any"]
        calls += [] if absent or not number else ["not_next", "not_followed_by"]
        call = random.choice(calls) if number else "begin"
        if not suffix and not call.startswith("not_") and random.random() < 0.2:
            stage = f"{call}({_chain(random, name, random.choice([1, 2, 2, 3]), [])})"
            stage += _quantifier(random, group=True)
        else:
            names.append(name)
            stage = f"{call}({name})"
            if not call.startswith("not_"):
                stage += random.choice(["", "", "", "", ".where(ab)", ".where(bc)", ".rising()"])
                stage += _quantifier(random, group=False)
        absent = ".optional()" in stage
        stages.append(stage)
    if not names:
        names.append(f"{suffix}none")
    return ".".join(stages)


def _quantifier(random: Random, *, group: bool) -> str:
    text = f".{random.choice(REPEATS)}" if random.random() < 0.45 else ""
    repeats = bool(text)
    text += ".optional()" if random.random() < 0.25 else ""
    if repeats:
        inner = random.choice(["", "", ".consecutive()", ".allow_combinations()"])
        text += inner
        if not group and inner != ".allow_combinations()" and random.random() < 0.35:
            text += ".greedy()"
        if "or_more" in text and random.random() < 0.2:
            text += f".until({random.choice('abc')})"
    return text


def _events(random: Random) -> str:
    words = []
    time = 0
    for number in range(random.randint(1, 8)):
        time += random.choice([0, 1, 1, 1, 2])
        words.append(f"{random.choice('abcabcd')}{number if random.random() < 0.8 else 0}@{time}")
    if random.random() < 0.6:
        words.append(f"@{time + random.randint(0, 10)}")
    return " ".join(words)
