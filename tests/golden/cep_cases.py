"""Patterns: partial matches, shared buffers and what waits for its turn."""

from __future__ import annotations

from tests.golden.saved_case import Case

from flott.cep import CEP, AfterMatchSkipStrategy, Pattern
from flott.common import Duration, Row, Types

KEYS = 4
ROW = Types.ROW_NAMED(["key", "amount"], [Types.LONG(), Types.LONG()])


def text(match):
    return "+" + " ".join(f"{name}:{events}" for name, events in sorted(match.items()))


def by_key(numbers):
    return numbers.key_by(lambda value: value % KEYS)


def found(numbers, pattern):
    return CEP.pattern(by_key(numbers), pattern).select(text, output_type=Types.STRING()).uid("patterns")


def small(value):
    return value % 5 < 2


def odd(value):
    return value % 3 == 1


def strict(numbers):
    return found(numbers, Pattern.begin("a").where(small).next("b").where(odd).within(Duration.of_millis(300)))


def relaxed(numbers):
    pattern = Pattern.begin("a").where(small).followed_by("b").where(odd).within(Duration.of_millis(300))
    return found(numbers, pattern)


def any_of(numbers):
    pattern = Pattern.begin("a").where(small).followed_by_any("b").where(odd).within(Duration.of_millis(200))
    return found(numbers, pattern)


def loops(numbers):
    pattern = (
        Pattern.begin("a").where(small).one_or_more().greedy()
        .followed_by("b").where(lambda value: value % 3 > 0).times(2).consecutive()
        .within(Duration.of_millis(400))
    )  # fmt: skip
    return found(numbers, pattern)


def absent(numbers):
    pattern = (
        Pattern.begin("a").where(small).not_followed_by("no").where(lambda value: value % 7 == 0)
        .followed_by("b").where(odd).within(Duration.of_millis(300))
    )  # fmt: skip
    return found(numbers, pattern)


def skipping(numbers):
    skip = AfterMatchSkipStrategy.skip_past_last_event()
    pattern = Pattern.begin("a", skip).where(small).followed_by("b").where(odd).within(Duration.of_millis(300))
    return found(numbers, pattern)


def rows(numbers):
    """Conditions that are evaluated over columns."""
    pairs = numbers.map(lambda value: Row(value % KEYS, value), ROW)
    pattern = (
        Pattern.begin("a").where(lambda row: row["amount"] % 5 < 2)
        .followed_by("b").where(lambda row: row["amount"] % 3 == 1)
        .within(Duration.of_millis(300))
    )  # fmt: skip
    matches = CEP.pattern(pairs.key_by("key"), pattern)
    return matches.select(
        lambda match: f"+{match['a'][0]['amount']} {match['b'][0]['amount']}", output_type=Types.STRING()
    ).uid("patterns")


def everything(numbers):
    """Not keyed."""
    pattern = Pattern.begin("a").where(lambda value: value % 9 == 0).followed_by("b").where(odd)
    return CEP.pattern(numbers, pattern).select(text, output_type=Types.STRING()).uid("patterns")


CASES = [
    Case("cep-strict", strict),
    Case("cep-relaxed", relaxed),
    Case("cep-any", any_of),
    Case("cep-loops", loops),
    Case("cep-absent", absent),
    Case("cep-skipping", skipping),
    Case("cep-rows", rows),
    Case("cep-not-keyed", everything),
]
