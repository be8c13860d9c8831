"""How often a stage of a pattern may occur, and how closely its events follow each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from flott.cep.errors import MalformedPatternError

__all__ = ["ConsumingStrategy", "Quantifier", "QuantifierKind", "Times", "WithinType"]


class ConsumingStrategy(Enum):
    """How a stage follows the one before it (or one of its events the one before, inside a loop)."""

    STRICT = "STRICT"
    """The very next event."""
    SKIP_TILL_NEXT = "SKIP_TILL_NEXT"
    """The next event that fits; what does not fit is skipped."""
    SKIP_TILL_ANY = "SKIP_TILL_ANY"
    """Any later event that fits; also what fits may be skipped."""
    NOT_FOLLOW = "NOT_FOLLOW"
    """No such event until the next stage."""
    NOT_NEXT = "NOT_NEXT"
    """The very next event is not such a one."""

    @property
    def negates(self) -> bool:
        """Whether the stage says what must not occur."""
        return self in {ConsumingStrategy.NOT_FOLLOW, ConsumingStrategy.NOT_NEXT}


class WithinType(Enum):
    """Between which events the time of ``within`` runs."""

    PREVIOUS_AND_CURRENT = "PREVIOUS_AND_CURRENT"
    FIRST_AND_LAST = "FIRST_AND_LAST"


class QuantifierKind(Enum):
    """Once, a bounded number of times, or without an upper bound."""

    SINGLE = "SINGLE"
    TIMES = "TIMES"
    LOOPING = "LOOPING"


@dataclass(frozen=True, slots=True)
class Times:
    """Occurs at least ``least`` and at most ``most`` times; of a loop only ``least`` counts."""

    least: int
    most: int
    gap: int | None = None
    """Most milliseconds between one occurrence and the next, if limited."""


@dataclass(frozen=True, slots=True)
class Quantifier:
    """What a stage says about its occurrences. Each method returns the changed quantifier, or says why it can't.

    >>> Quantifier(ConsumingStrategy.STRICT).as_optional()
    Quantifier(strategy=<ConsumingStrategy.STRICT: 'STRICT'>, ..., optional=True, greedy=False)
    """

    strategy: ConsumingStrategy
    kind: QuantifierKind = QuantifierKind.SINGLE
    inner: ConsumingStrategy = ConsumingStrategy.SKIP_TILL_NEXT
    """How closely the occurrences of a loop follow each other."""
    optional: bool = False
    greedy: bool = False

    def repeated(self, kind: QuantifierKind, *, optional: bool = False) -> Quantifier:
        """Occur several times; only one call of times, times_or_more or one_or_more may say how often."""
        if self.kind is not QuantifierKind.SINGLE:
            raise MalformedPatternError(
                f"a quantifier was already applied ({self.describe()}); "
                "say only once how often a stage occurs: times(2), times(2, 4), times_or_more(2) or one_or_more()"
            )
        return replace(self, kind=kind, optional=self.optional or optional)

    def as_optional(self) -> Quantifier:
        """May be absent."""
        if self.optional:
            raise MalformedPatternError("optional() was already applied; write it once")
        if self.strategy.negates:
            raise MalformedPatternError("a NOT stage can't be optional: it says what must not occur")
        return replace(self, optional=True)

    def as_greedy(self) -> Quantifier:
        """Take as many occurrences as there are."""
        if self.inner is ConsumingStrategy.SKIP_TILL_ANY:
            raise MalformedPatternError("greedy() and allow_combinations() exclude each other; choose one")
        if self.kind is QuantifierKind.SINGLE:
            raise MalformedPatternError("greedy() is for stages that repeat; first write times(...) or one_or_more()")
        return replace(self, greedy=True)

    def with_inner(self, inner: ConsumingStrategy) -> Quantifier:
        """Set how closely the occurrences follow each other; consecutive or combinations, and only once."""
        call = "consecutive()" if inner is ConsumingStrategy.STRICT else "allow_combinations()"
        if self.kind is QuantifierKind.SINGLE:
            raise MalformedPatternError(
                f"{call} is for stages that repeat; first write times(...), times_or_more(...) or one_or_more()"
            )
        if self.inner is inner:
            raise MalformedPatternError(f"{call} was already applied; write it once")
        if self.inner is not ConsumingStrategy.SKIP_TILL_NEXT:
            raise MalformedPatternError("consecutive() and allow_combinations() exclude each other; choose one")
        if self.greedy and inner is ConsumingStrategy.SKIP_TILL_ANY:
            raise MalformedPatternError("greedy() and allow_combinations() exclude each other; choose one")
        return replace(self, inner=inner)

    def describe(self) -> str:
        """Say it in the words of the API."""
        words = [self.kind.name.lower()]
        words += ["optional"] if self.optional else []
        words += ["greedy"] if self.greedy else []
        return ", ".join(words)
