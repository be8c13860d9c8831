"""Patterns in one line, and automata as text and as Mermaid pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.cep.conditions import ALWAYS, describe_condition
from flott.cep.group_pattern import GroupPattern
from flott.cep.nfa import StateKind
from flott.cep.quantifier import ConsumingStrategy, QuantifierKind, WithinType

if TYPE_CHECKING:
    from flott.cep.nfa import Nfa, State, Transition
    from flott.cep.pattern import Pattern

__all__ = ["describe_pattern", "explain"]

CALLS = {
    ConsumingStrategy.STRICT: "next",
    ConsumingStrategy.SKIP_TILL_NEXT: "followed_by",
    ConsumingStrategy.SKIP_TILL_ANY: "followed_by_any",
    ConsumingStrategy.NOT_FOLLOW: "not_followed_by",
    ConsumingStrategy.NOT_NEXT: "not_next",
}


def explain(nfa: Nfa, format: str = "text") -> str:
    """Draw an automaton as ``text`` or ``mermaid``."""
    if format == "text":
        return _as_text(nfa)
    if format == "mermaid":
        return _as_mermaid(nfa)
    raise ValueError(f"explain({format!r}): the formats are 'text' and 'mermaid'")


def describe_pattern(pattern: Pattern) -> str:
    """Write a pattern in one line, in the words of the API and the quantifiers of regular expressions."""
    return " ".join(_describe_stage(stage) for stage in pattern.stages())


def _describe_stage(stage: Pattern) -> str:
    quantifier = stage.get_quantifier()
    call = "begin" if stage.get_previous() is None else CALLS[quantifier.strategy]
    name = describe_pattern(stage.get_raw_pattern()) if isinstance(stage, GroupPattern) else stage.get_name()
    text = f"{call}({name}){_describe_times(stage)}"
    if stage.get_until_condition() is not None:
        text += " until"
    window = stage.get_window_size()
    gap = stage.get_window_size(WithinType.PREVIOUS_AND_CURRENT)
    return text + (f" within {window} ms" if window else "") + (f" within {gap} ms of the previous" if gap else "")


def _describe_times(stage: Pattern) -> str:
    quantifier, times = stage.get_quantifier(), stage.get_times()
    text = ""
    if times is not None:
        most = "" if quantifier.kind is QuantifierKind.LOOPING else str(times.most)
        text = f"{{{times.least}}}" if most == str(times.least) else f"{{{times.least},{most}}}"
        text += "+" if quantifier.greedy else ""
        if quantifier.inner is not ConsumingStrategy.SKIP_TILL_NEXT:
            text += " consecutive" if quantifier.inner is ConsumingStrategy.STRICT else " combinations"
    return text + ("?" if quantifier.optional else "")


def _in_order(nfa: Nfa) -> list[int]:
    """Sort states from start to end: they were made backwards."""
    seen = dict.fromkeys([nfa.start])
    stack = [nfa.start]
    while stack:
        for transition in nfa.states[stack.pop()].transitions:
            if transition.target not in seen:
                seen[transition.target] = None
                stack.append(transition.target)
    return sorted(seen, key=lambda position: (nfa.states[position].kind is StateKind.FINAL, list(seen).index(position)))


def _as_text(nfa: Nfa) -> str:
    window = f", within {nfa.window} ms" if nfa.window else ""
    lines = [f"NFA of {len(nfa.states)} states{window}, {nfa.skip!r}"]
    for position in _in_order(nfa):
        state = nfa.states[position]
        gap = f", within {state.gap} ms of the previous event" if state.gap else ""
        lines.append(f"{state.name} ({state.kind.value}{gap})")
        lines += [f"  {_label(edge)} → {nfa.states[edge.target].name}" for edge in state.transitions]
    return "\n".join(lines)


def _label(transition: Transition) -> str:
    condition = "" if transition.condition is ALWAYS else f" if {describe_condition(transition.condition)}"
    return transition.action.name + condition


def _as_mermaid(nfa: Nfa) -> str:
    lines = ["stateDiagram-v2", "    direction LR"]
    ids = {position: f"s{number}" for number, position in enumerate(_in_order(nfa))}
    for position, name in ids.items():
        lines.append(f'    state "{_shown(nfa.states[position])}" as {name}')
    lines.append(f"    [*] --> {ids[nfa.start]}")
    for position, name in ids.items():
        state = nfa.states[position]
        if state.kind is StateKind.STOP:
            continue
        lines += [f"    {name} --> {ids[edge.target]} : {_escaped(_label(edge))}" for edge in state.transitions]
        if state.kind is StateKind.FINAL:
            lines.append(f"    {name} --> [*]")
    return "\n".join(lines)


def _shown(state: State) -> str:
    if state.kind is StateKind.FINAL:
        return "match"
    return f"not {state.name}" if state.kind is StateKind.STOP else state.name.replace(":", " ")


def _escaped(label: str) -> str:
    """Mermaid takes a colon and some brackets for its own."""
    return (
        label.replace(":", " line ")
        .replace("<", "#lt;")
        .replace(">", "#gt;")
        .replace(";", ",")
        .replace("#lt,", "#lt;")
        .replace("#gt,", "#gt;")
    )
