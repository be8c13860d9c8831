"""CEP cases as text: a pattern, a skip strategy, events. Read by the transcripts, the fuzz tests and the oracles.

A pattern is written as in the API, without quotes: ``begin(a).followed_by(b).one_or_more().within(10)``. A stage takes
the events that begin with the letter its name begins with, or with one of the letters of ``where(bc)``; ``rising()``
lets it take only events whose number is above those it holds. Events are ``a1 b2 c``, at times 1, 2, 3 and so on, or
at a time of their own: ``a1@10``; ``@20`` alone lets time pass.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from flott.cep import AfterMatchSkipStrategy, Pattern, WithinType
from flott.cep.compile_nfa import compile_nfa
from flott.cep.matcher import Matcher
from flott.runtime.clock import ManualClock

Stage = dict[str, Any]
Step = tuple[list[str], list[str]]
"""The matches and the timed-out partial matches of one step."""

CONTIGUITY = {
    "begin": "STRICT",
    "next": "STRICT",
    "followed_by": "SKIP_TILL_NEXT",
    "followed_by_any": "SKIP_TILL_ANY",
    "not_next": "NOT_NEXT",
    "not_followed_by": "NOT_FOLLOW",
}
CALLS = {value: name for name, value in CONTIGUITY.items() if name != "begin"}


@dataclass(frozen=True, slots=True)
class Case:
    """A pattern as plain data, what a match skips, and events with their times; None is time that passes."""

    stages: list[Stage]
    skip: tuple[Any, ...]
    events: list[tuple[str | None, int]]

    @staticmethod
    def parse(pattern: str, events: str, skip: str = "no_skip") -> Case:
        """Read a case from its text."""
        return Case(_stages(ast.parse(pattern, mode="eval").body), _skip(skip), _events(events))

    def as_json(self) -> dict[str, Any]:
        """Return the case as the Flink program takes it."""
        return {"pattern": self.stages, "skip": list(self.skip), "events": [list(event) for event in self.events]}

    def pattern(self) -> Pattern:
        """Build the pattern."""
        return _build(self.stages, _strategy(self.skip))

    def run(self) -> list[Step]:
        """Let Flott look for the pattern; return what each step gives."""
        matcher = Matcher(compile_nfa(self.pattern()), ManualClock())
        run = matcher.new_run()
        steps = []
        for event, time in self.events:
            matches, timed_out = matcher.advance(run, time)
            if event is not None:
                matches += matcher.process(run, event, time)
            steps.append(([show(match) for match in matches], [f"{show(match)} at {at}" for match, at in timed_out]))
        return steps


def show(match: dict[str, list[str]]) -> str:
    """Write a match as text: ``a=a1 b=b1,b2``."""
    return " ".join(f"{name}={','.join(events)}" for name, events in match.items())


# -- reading ---------------------------------------------------------------------------------------------------


def _stages(node: ast.expr) -> list[Stage]:
    if not isinstance(node, ast.Call):
        raise ValueError(f"not a pattern: {ast.unparse(node)}")  # noqa: TRY004 - the text is wrong, not a type
    if isinstance(node.func, ast.Name):
        return [_stage(node.func.id, node.args)]
    if not isinstance(node.func, ast.Attribute):
        raise ValueError(f"not a pattern: {ast.unparse(node)}")  # noqa: TRY004 - same
    stages = _stages(node.func.value)
    call = node.func.attr
    if call in CONTIGUITY:
        return [*stages, _stage(call, node.args)]
    _extend(stages[-1], call, [_argument(argument) for argument in node.args])
    return stages


def _stage(call: str, arguments: list[ast.expr]) -> Stage:
    stage: Stage = {"contiguity": CONTIGUITY[call], "kind": "SINGLE"}
    (argument,) = arguments
    if isinstance(argument, ast.Call):
        return {**stage, "group": _stages(argument)}
    name = str(_argument(argument))
    return {**stage, "name": name, "letters": name[0]}


def _argument(node: ast.expr) -> Any:
    return node.id if isinstance(node, ast.Name) else ast.literal_eval(node)


def _extend(stage: Stage, call: str, arguments: list[Any]) -> None:
    match call, arguments:
        case "where", [letters]:
            stage["letters"] = letters
        case (("until" | "within" | "within_gap"), [value]):
            stage[call] = value
        case (("optional" | "greedy" | "rising"), []):
            stage[call] = True
        case "consecutive", []:
            stage["inner"] = "STRICT"
        case "allow_combinations", []:
            stage["inner"] = "SKIP_TILL_ANY"
        case "one_or_more", []:
            stage.update({"kind": "LOOPING", "from": 1, "to": 1})
        case "times_or_more", [least, *gap]:
            stage.update({"kind": "LOOPING", "from": least, "to": least, **({"gap": gap[0]} if gap else {})})
        case "times", [times]:
            stage.update({"kind": "TIMES", "from": times, "to": times})
        case "times", [least, most, *gap]:
            stage.update({"kind": "TIMES", "from": least, "to": most, **({"gap": gap[0]} if gap else {})})
        case _:
            raise ValueError(f"no such call in a pattern: {call}({', '.join(map(str, arguments))})")


def _skip(text: str) -> tuple[Any, ...]:
    kind, *rest = text.split()
    return (kind, rest[0], len(rest) > 1) if rest else (kind,)


def _events(text: str) -> list[tuple[str | None, int]]:
    events: list[tuple[str | None, int]] = []
    time = 0
    for word in text.split():
        name, _, at = word.partition("@")
        time = int(at) if at else time + 1
        events.append((name or None, time))
    return events


# -- building ----------------------------------------------------------------------------------------------------


def _strategy(skip: tuple[Any, ...]) -> AfterMatchSkipStrategy:
    match skip:
        case ("no_skip",):
            return AfterMatchSkipStrategy.no_skip()
        case ("to_next",):
            return AfterMatchSkipStrategy.skip_to_next()
        case ("past_last_event",):
            return AfterMatchSkipStrategy.skip_past_last_event()
        case ("to_first", name, throws):
            strategy = AfterMatchSkipStrategy.skip_to_first(name)
        case ("to_last", name, throws):
            strategy = AfterMatchSkipStrategy.skip_to_last(name)
        case _:
            raise ValueError(f"no such skip strategy: {skip}")
    return strategy.throw_exception_on_miss() if throws else strategy


def _build(stages: list[Stage], skip: AfterMatchSkipStrategy) -> Pattern:
    pattern: Pattern | None = None
    for stage in stages:
        what = _build(stage["group"], skip) if "group" in stage else stage["name"]
        placed = Pattern.begin(what, skip) if pattern is None else getattr(pattern, CALLS[stage["contiguity"]])(what)
        pattern = _qualified(placed, stage)
    if pattern is None:
        raise ValueError("a pattern without stages")
    return pattern


def _qualified(pattern: Pattern, stage: Stage) -> Pattern:
    if "letters" in stage:
        pattern.where(_starts_with(stage["letters"]))
    if stage.get("rising"):
        pattern.where(_rising(stage["name"]))
    if stage["kind"] == "LOOPING":
        pattern.times_or_more(stage["from"], stage.get("gap"))
    elif stage["kind"] == "TIMES":
        pattern.times(stage["from"], stage["to"], stage.get("gap"))
    if stage.get("optional"):
        pattern.optional()
    if stage.get("inner") == "STRICT":
        pattern.consecutive()
    if stage.get("inner") == "SKIP_TILL_ANY":
        pattern.allow_combinations()
    if stage.get("greedy"):
        pattern.greedy()
    if "until" in stage:
        pattern.until(_starts_with(stage["until"]))
    if "within" in stage:
        pattern.within(stage["within"])
    if "within_gap" in stage:
        pattern.within(stage["within_gap"], WithinType.PREVIOUS_AND_CURRENT)
    return pattern


def _starts_with(letters: str) -> Any:
    def condition(event: str) -> bool:
        return event[0] in letters

    return condition


def _rising(name: str) -> Any:
    def condition(event: str, ctx: Any) -> bool:
        return all(int(before[1:]) < int(event[1:]) for before in ctx.get_events_for_pattern(name))

    return condition
