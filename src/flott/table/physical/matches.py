"""MATCH_RECOGNIZE as a pattern of CEP: strict contiguity, and the conditions of DEFINE."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flott.cep.column_condition import col
from flott.cep.compile_nfa import compile_nfa
from flott.cep.operator import CepOperator
from flott.cep.pattern import Pattern
from flott.cep.skip_strategy import AfterMatchSkipStrategy
from flott.common.fields import Field
from flott.common.time import Duration
from flott.runtime.partitioners import KeyGroupHash
from flott.table.errors import NotYetError
from flott.table.physical.step import Step, refuse_nested
from flott.table.runtime.match import KEY, Defined, FromMatches, MatchShape, Measures, ToEvents
from flott.table.runtime.rank import sort_key
from flott.table.types import BinaryType, VarBinaryType

if TYPE_CHECKING:
    from flott.cep.nfa import Nfa
    from flott.table.physical.translate import Translator
    from flott.table.plan.match import Match, PatternPart, Skip
    from flott.table.plan.nodes import SortKey


def translate_match(node: Match, translator: Translator) -> Step:
    """Return the steps that find a pattern: events, the automaton, and rows of its matches."""
    below = translator.translate(node.input)
    _check(node, below)
    time = node.order[0].index
    event_time = node.input.fields[time].is_rowtime
    width = len(node.input.fields)
    shape = MatchShape(
        tuple(field.type for field in node.input.fields),
        tuple(part.variable for part in node.pattern),
        translator.settings.zone,
    )
    events = Step("MatchInput", "", below.fields, append_only=True, inputs=(below,), exchanges=(None,),
                  operator=partial(ToEvents, width, node.partition, time if event_time else None))  # fmt: skip
    key = Field(KEY, width)
    operator = partial(
        CepOperator, _nfa(node, shape), Measures(node.partition, node.measures, shape), key,
        comparator=_Comparator(node.order[1:]) if len(node.order) > 1 else None, event_time=event_time,
    )  # fmt: skip
    matched = Step("Match", node.detail, node.fields, append_only=True, inputs=(events,), operator=operator,
                   exchanges=(KeyGroupHash(key),))  # fmt: skip
    rows = partial(FromMatches, matched.arrow_types())
    return Step("MatchOutput", "", node.fields, append_only=True, inputs=(matched,), operator=rows, exchanges=(None,))


def _check(node: Match, below: Step) -> None:
    if not below.append_only:
        raise NotYetError(
            "MATCH_RECOGNIZE can't be run over rows that are updated, because a match can't be taken back"
        )
    for place in node.partition:
        if isinstance(below.fields[place].type, (BinaryType, VarBinaryType)):
            raise NotYetError(
                f"PARTITION BY {below.fields[place].name}: bytes can't be a partition; CAST them AS STRING"
            )
    refuse_nested(below.fields, "MATCH_RECOGNIZE")


def _nfa(node: Match, shape: MatchShape) -> Nfa:
    pattern: Any = None
    for part in node.pattern:
        pattern = Pattern.begin(part.variable, _skip(node.skip)) if pattern is None else pattern.next(part.variable)
        for definition in node.definitions:
            if definition.variable != part.variable:
                continue
            for test in definition.tests:
                pattern = pattern.where(col(test))
            if definition.condition is not None:
                pattern = pattern.where(Defined(part.variable, definition.condition, definition.glances, shape))
        pattern = _quantified(pattern, part)
    if node.within is not None:
        pattern = pattern.within(Duration.of_millis(node.within))
    return compile_nfa(pattern)


def _quantified(pattern: Any, part: PatternPart) -> Any:
    if (part.least, part.most) == (1, 1):
        return pattern
    if (part.least, part.most) == (0, 1):
        return pattern.optional()
    if part.most is None:
        made = pattern.one_or_more() if part.least <= 1 else pattern.times_or_more(part.least)
        made = made.consecutive()
        made = made.optional() if part.least == 0 else made
    else:
        made = pattern.times(part.least, part.most).consecutive()
    return made.greedy() if part.greedy and part.least != part.most else made


def _skip(skip: Skip) -> AfterMatchSkipStrategy:
    if skip.variable is None:
        strategies = AfterMatchSkipStrategy
        return strategies.skip_past_last_event() if skip.kind == "PAST" else strategies.skip_to_next()
    to = AfterMatchSkipStrategy.skip_to_first if skip.kind == "FIRST" else AfterMatchSkipStrategy.skip_to_last
    return to(skip.variable).throw_exception_on_miss()


class _Comparator:
    """Orders rows of the same time."""

    def __init__(self, order: tuple[SortKey, ...]) -> None:
        self.order = order

    def __call__(self, one: Any, other: Any) -> int:
        first, second = sort_key(self.order, one), sort_key(self.order, other)
        return -1 if first < second else 1 if second < first else 0
