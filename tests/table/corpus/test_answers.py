"""Every function and operator over edge values gives what Flink gave, or the difference is listed with its reason."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isclose
from pathlib import Path

import pytest
import yaml
from tests.table.corpus.answers import read
from tests.table.corpus.computed import answer, from_string
from tests.table.corpus.edge_values import rows_of
from tests.table.corpus.questions import questions

pytestmark = pytest.mark.corpus

EVALUATIONS = 10_000
INEXACT = re.compile(r"^(SIN|COS|TAN|EXP|LN|LOG10|LOG2|POWER|POW|SQRT)\(")
"""Functions whose last digit Java leaves to the processor."""
KINDS = ("value", "type", "refused", "accepted")


@dataclass(frozen=True)
class Listed:
    """Differences that are known: of one kind, where a pattern is found in the question and the row, for a reason."""

    kind: str
    pattern: re.Pattern
    reason: str


LISTED = [
    Listed(kind, re.compile(pattern), group["reason"])
    for group in yaml.safe_load(Path(__file__).with_name("differences.yaml").read_text(encoding="utf-8"))
    for kind in KINDS
    for pattern in group.get(kind, ())
]


def differences(question, flink, flott):
    """All differences in the answers to a question: kind, where it is, what it is.

    Kinds: another `value` in a row, another `type`, `refused` by Flott only, `accepted` by Flott only.
    """
    (kind, told), (found_kind, found) = flink, flott
    if kind is None or found_kind is None:
        if kind is not None:
            yield "refused", question.title, found
        elif found_kind is not None:
            yield "accepted", question.title, f"Flink: {told}"
        return
    inexact = INEXACT.match(question.text)
    for row, one, other in zip(rows_of(question.columns), told, found, strict=True):
        if not same(from_string(kind, one), other, inexact):
            where = f"{question.title} {', '.join(map(shown, row))}"
            yield "value", where, f"Flink {one!r}, Flott {other!r}"
    if bare(kind) != bare(found_kind):
        yield "type", question.title, f"Flink {kind}, Flott {found_kind}"


def shown(value):
    return repr(value) if isinstance(value, str) else str(value)


def same(one, other, inexact):
    if isinstance(one, dict) and isinstance(other, dict) and "error" in one and "error" in other:
        return True
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other) or bool(inexact and isclose(one, other, rel_tol=1e-14, abs_tol=1e-300))
    if isinstance(one, (dict, list)) and "error" not in one and isinstance(other, str) and other[:1] in "[{":
        # What JSON_OBJECT and JSON_ARRAY give stands in the JSON of the answer as it is.
        return one == json.loads(other)
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def bare(kind):
    """A type without what may be NULL in it, and without the names of fields."""
    return re.sub(r" NOT NULL|`[^`]*` ", "", kind)


@pytest.fixture(scope="module")
def found():
    """All differences."""
    return [one for question, flink in read().items() for one in differences(question, flink, answer(question))]


@pytest.mark.parametrize("kind", KINDS)
def test_differences_are_listed(found, kind):
    known = [listed.pattern for listed in LISTED if listed.kind == kind]
    unknown = [
        f"{where}\n    {what}"
        for one, where, what in found
        if one == kind and not any(pattern.search(where) for pattern in known)
    ]
    assert not unknown, f"{len(unknown)} of kind {kind}\n" + "\n".join(unknown)


@pytest.mark.parametrize("known", LISTED, ids=lambda known: f"{known.kind} {known.pattern.pattern}")
def test_listed_differences_are_there(found, known):
    assert any(kind == known.kind and known.pattern.search(where) for kind, where, _ in found)


def test_there_are_answers_for_thousands_of_expressions():
    told = read()
    assert set(told) <= set(questions())
    assert sum(len(rows_of(question.columns)) for question in told) >= EVALUATIONS
    assert all(
        kind is None or len(values) == len(rows_of(question.columns)) for question, (kind, values) in told.items()
    )
