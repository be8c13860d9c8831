from __future__ import annotations

import pytest
from tests.oracle.windows.verdict import judge

from flott.testing.transcripts import Transcript

CASE = Transcript.read({
    "name": "a case",
    "window": {"tumbling": 10},
    "steps": [
        {"element": {"value": 1, "at": 3}},
        {"watermark": 9},
        {"emits": [["a", [1], [0, 10]]]},
        {"element": {"value": 2, "at": 4}},
        {"late": [["a", 2]]},
    ],
})  # fmt: skip


def told(watermark, result, bounds=(0, 10)):
    return {"key": "a", "watermark": watermark, "result": result, "bounds": list(bounds)}


def answer(*emits, late=2):
    return {"emits": list(emits), "late": [{"key": "a", "value": late}]}


def test_the_same():
    assert judge(CASE, answer(told(9, [1])), None).kind == "same"


def test_what_the_end_of_the_job_brings_is_not_part_of_the_case():
    assert judge(CASE, answer(told(9, [1]), told(2**63 - 1, [5])), None).kind == "same"


@pytest.mark.parametrize(
    "other",
    [
        answer(told(9, [2])),
        answer(told(8, [1])),
        answer(told(9, [1], (1, 11))),
        answer(told(9, [1]), told(9, [1])),
        answer(),
        answer(told(9, [1]), late=3),
        {"error": "no"},
    ],
)
def test_every_difference_counts(other):
    assert judge(CASE, other, None).kind == "different"


def test_a_known_difference_is_explained():
    known = {"reason": "why", "emits": {"a": [[9, [2], [0, 10]]]}}
    verdict = judge(CASE, answer(told(9, [2])), known)
    assert (verdict.kind, verdict.reason) == ("explained", "why")


@pytest.mark.parametrize("other", [answer(told(9, [3])), answer(told(9, [1])), {"error": "no"}])
def test_a_known_difference_must_be_that_one_and_still_be_there(other):
    assert judge(CASE, other, {"reason": "why", "emits": {"a": [[9, [2], [0, 10]]]}}).kind == "different"


def test_a_known_failure_is_known_by_its_error():
    known = {"reason": "why", "fails": "too large"}
    assert judge(CASE, {"error": "it is too large for a long"}, known).kind == "explained"
    assert judge(CASE, {"error": "no network"}, known).kind == "different"
    assert judge(CASE, answer(told(9, [1])), known).kind == "different"
