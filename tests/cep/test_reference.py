"""The automaton against a matcher that tries everything.

The reference below knows nothing of states: it picks events in all possible ways and asks what the documentation
asks. Stages may be single, repeated, optional, greedy, strict, relaxed or not, and NOT stages may stand between them,
for events that no other stage takes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from cep_cases import Case
from flott.cep import MalformedPatternError

Stage = dict[str, Any]
Taken = list[tuple[int, int]]
"""(position of the event, position of the stage), in order."""


class Reference:
    """Looks for all matches by trying all choices of events."""

    def __init__(self, case: Case) -> None:
        self.stages = case.stages
        self.letters = [event[0] for event, _ in case.events]
        self.times = [time for _, time in case.events]
        self.window = min((stage["within"] for stage in case.stages if "within" in stage), default=None)

    def matches(self) -> Counter[tuple[tuple[int, int], ...]]:
        return Counter(tuple(taken) for taken in self._from_stage(0, []))

    def _from_stage(self, at: int, taken: Taken):
        """Fill the stages from ``at`` on."""
        if at == len(self.stages):
            if taken:
                yield taken
            return
        stage = self.stages[at]
        if stage["contiguity"] in {"NOT_NEXT", "NOT_FOLLOW"}:
            yield from self._from_stage(at + 1, taken)
            return
        if stage.get("optional"):
            yield from self._from_stage(at + 1, taken)
        least, most = 1, 1
        if stage["kind"] == "TIMES":
            least, most = stage["from"], stage["to"]
        if stage["kind"] == "LOOPING":
            least, most = stage["from"], len(self.letters)
        yield from self._occurrences(at, taken, 0, least, most)

    def _occurrences(self, at: int, taken: Taken, done: int, least: int, most: int):
        """Take one event more for a stage that has ``done`` events, or go on to the next."""
        if done >= least:
            yield from self._from_stage(at + 1, taken)
        if done == most:
            return
        for position in range(taken[-1][0] + 1 if taken else 0, len(self.letters)):
            # When a stage could end, what must not come next ends it for good, even if it could go on.
            stopped = done >= least and self._is_stopped(at, taken, done)
            if self._may_take(at, taken, done, position) and not stopped:
                yield from self._occurrences(at, [*taken, (position, at)], done + 1, least, most)

    def _may_take(self, at: int, taken: Taken, done: int, position: int) -> bool:  # noqa: PLR0911
        stage = self.stages[at]
        if not self._fits(stage, position) or self._ends_loop(stage, position):
            return False
        if not taken:
            return not self._is_held_by_greedy(at, taken, done, position)
        if self.window is not None and self.times[position] - self.times[taken[0][0]] >= self.window:
            return False
        between = range(taken[-1][0] + 1, position)
        how = stage.get("inner", "SKIP_TILL_NEXT") if done else stage["contiguity"]
        if how == "STRICT" and between:
            return False
        if how == "SKIP_TILL_NEXT" and any(self._fits(stage, skipped) for skipped in between):
            return False
        if done and any(self._ends_loop(stage, skipped) for skipped in between):
            return False
        return self._nots_hold(at, taken, done, position) and not any(
            self._is_held_by_greedy(at, taken, done, other) for other in [*between, position]
        )

    def _is_stopped(self, at: int, taken: Taken, done: int) -> bool:
        following = self.stages[at + 1] if done and at + 1 < len(self.stages) else None
        return (
            following is not None and following["contiguity"] == "NOT_NEXT" and self._fits(following, taken[-1][0] + 1)
        )

    def _fits(self, stage: Stage, position: int) -> bool:
        return self.letters[position] in stage["letters"]

    def _ends_loop(self, stage: Stage, position: int) -> bool:
        return "until" in stage and self.letters[position] in stage["until"]

    def _is_held_by_greedy(self, at: int, taken: Taken, done: int, position: int) -> bool:
        """Say whether a greedy stage before this one would take an event instead."""
        if done or at == 0 or not self.stages[at - 1].get("greedy"):
            return False
        greedy = self.stages[at - 1]
        repeats = greedy["kind"] == "LOOPING" or greedy["from"] != greedy["to"]
        return repeats and self._fits(greedy, position)

    def _nots_hold(self, at: int, taken: Taken, done: int, position: int) -> bool:
        last = taken[-1][0]
        first_of_last = next(event for event, stage in taken if stage == taken[-1][1])
        # NOT stages between the stage taken last and this one; while a stage repeats, also the NOT right behind it.
        before = at - 1
        while not done and before > taken[-1][1]:
            stage = self.stages[before]
            if stage["contiguity"] == "NOT_NEXT" and self._fits(stage, last + 1):
                return False
            if stage["contiguity"] == "NOT_FOLLOW" and any(
                self._fits(stage, other) for other in range(first_of_last + 1, position + 1)
            ):
                return False
            before -= 1
        return True


LETTERS = st.sampled_from(["a", "b", "c", "ab", "bc"])


@st.composite
def stages(draw, name: str, *, first: bool, last: bool, after: str) -> str:
    calls = ["next", "followed_by", "followed_by_any"]
    if not first and not last and after == "plain":
        calls += ["not_next", "not_followed_by"]
    call = "begin" if first else draw(st.sampled_from(calls))
    if call.startswith("not_"):
        return f"{call}({name}).where(d)"
    text = f"{call}({name}).where({draw(LETTERS)})"
    quantifier = draw(
        st.sampled_from(["", "", "times(2)", "times(1, 2)", "times(2, 3)", "one_or_more()", "times_or_more(2)"])
    )
    if quantifier:
        text += f".{quantifier}"
        inner = draw(st.sampled_from(["", "", "consecutive()", "allow_combinations()", "greedy()"]))
        # How a greedy loop and what must not occur, or may be absent, play together is for the oracle.
        if inner and (inner != "greedy()" or not after.startswith("not")):
            text += f".{inner}"
        if "or_more" in quantifier and "greedy" not in text and draw(st.booleans()):
            text += f".until({draw(st.sampled_from('abd'))})"
    if not after.startswith("not") and "until" not in text and draw(st.integers(0, 3)) == 0:
        text += ".optional()"
    return text


@st.composite
def patterns(draw) -> str:
    count = draw(st.integers(1, 4))
    parts: list[str] = []
    after = "plain"
    for number in range(count):
        part = draw(stages(f"s{number}", first=number == 0, last=number == count - 1, after=after))
        after = "not" if part.startswith("not_") else "optional" if "optional" in part or "greedy" in part else "plain"
        parts.append(part)
    text = ".".join(parts)
    return text + draw(st.sampled_from(["", "", ".within(3)", ".within(5)"]))


@given(patterns(), st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 2)), max_size=7))
def test_finds_what_the_reference_finds(pattern, letters):
    time = 0
    words = []
    for number, (letter, pause) in enumerate(letters):
        time += pause
        words.append(f"{letter}{number}@{time}")
    case = Case.parse(pattern, " ".join(words))
    try:
        case.pattern()
    except MalformedPatternError:
        assume(False)
    names = [stage["name"] for stage in case.stages]
    expected: Counter[str] = Counter()
    for taken, count in Reference(case).matches().items():
        found: dict[str, list[str]] = {}
        for position, stage in taken:
            found.setdefault(names[stage], []).append(str(case.events[position][0]))
        expected[" ".join(f"{name}={','.join(events)}" for name, events in found.items())] += count
    assert Counter(match for matches, _ in case.run() for match in matches) == expected
