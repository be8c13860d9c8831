"""Whether the answer to a window transcript is what the transcript expects."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.oracle.windows.question import channel_and_time

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.valve import Valve

if TYPE_CHECKING:
    from flott.testing.transcripts import Transcript

KINDS = ("same", "explained", "not expressible", "different")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the comparison of one case came to."""

    case: Transcript
    kind: str
    reason: str = ""


def judge(case: Transcript, answer: dict[str, Any], difference: dict[str, Any] | None) -> Verdict:
    """Compare; a difference must be known, with its reason, and must be exactly the one that is known."""
    wanted = Expectation.of(case)
    expected = {"emits": wanted.emits, "late": wanted.late}
    if "error" in answer:
        if difference is not None and "fails" in difference and difference["fails"] in answer["error"]:
            return Verdict(case, "explained", difference["reason"])
        return Verdict(case, "different", f"{answer['error']}\ninstead of {expected}")
    got = wanted.same_terms(answer)
    if difference is None:
        return Verdict(case, "same") if got == expected else Verdict(case, "different", f"{got} instead of {expected}")
    known = {"emits": _read_emits(difference.get("emits", {})), "late": difference.get("late", wanted.late)}
    if got == known:
        return Verdict(case, "explained", difference["reason"])
    return Verdict(case, "different", f"{got} instead of the known difference {known}; the transcript says {expected}")


def _read_emits(emits: dict[str, Any]) -> dict[str, list[list[Any]]]:
    words = {"none": MIN_TIMESTAMP, "max": MAX_WATERMARK}
    return {
        key: [[words.get(watermark, watermark), *more] for watermark, *more in results]
        for key, results in emits.items()
    }


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a transcript expects, in the terms of the answers.

    For each key, results in order, each with the watermark at which it came and, where it is said, the window.
    """

    emits: dict[str, list[list[Any]]]
    late: list[list[Any]]
    ends: bool
    """Whether the case itself brings the end of time; a job always does, in the end."""

    @staticmethod
    def of(case: Transcript) -> Expectation:
        """Go through the steps."""
        valve = Valve(case.channels)
        emits: dict[str, list[list[Any]]] = defaultdict(list)
        late: list[list[Any]] = []
        for kind, value in case.steps:
            if kind == "watermark":
                valve.input_watermark(*channel_and_time(value))
            elif kind in {"idle", "active"}:
                valve.input_status(value, kind == "active")
            elif kind == "emits":
                for key, result, *bounds in value:
                    emits[key].append([valve.watermark, result, *bounds])
            elif kind == "late":
                late += value
        return Expectation(dict(emits), late, ends=valve.watermark == MAX_WATERMARK)

    def same_terms(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer in these terms."""
        emits: dict[str, list[list[Any]]] = defaultdict(list)
        for told in answer["emits"]:
            watermark, of_key = told["watermark"], emits[told["key"]]
            if watermark == MAX_WATERMARK and not self.ends:
                continue
            asked = self.emits.get(told["key"], [])
            with_bounds = len(of_key) < len(asked) and len(asked[len(of_key)]) > 2
            of_key.append([watermark, told["result"], *([told["bounds"]] if with_bounds else [])])
        late = [[told["key"], told["value"]] for told in answer["late"]]
        return {"emits": {key: results for key, results in emits.items() if results}, "late": late}
