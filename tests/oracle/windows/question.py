"""What a window transcript asks of PyFlink and Flink, as plain data, and why some can't be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.testing.transcripts import CHECKS, millis

if TYPE_CHECKING:
    from flott.testing.transcripts import Transcript

ENGINES = ("PyFlink", "Flink")
"""PyFlink's DataStream API, and the Java API below it."""

CLOCK = "the clock of a job can't be moved by hand"
CUMULATIVE = "cumulative windows are in Flink's SQL only"
MISSING = {
    "PyFlink": {
        "evictor": "PyFlink has no evictors",
        "delta": "PyFlink has no delta trigger",
    },
    "Flink": {
        "count": "Flink's Java API makes count windows of a global window, a trigger and an evictor, which have cases",
        "never": "Flink's Java API hands out its never trigger with global windows only",
    },
}


def why_not(engine: str, case: Transcript) -> str | None:
    """Say why an engine can't play a case; None if it can."""
    if any(kind == "processing_time" for kind, _ in case.steps):
        return CLOCK
    if "cumulative" in case.window:
        return CUMULATIVE
    for part, reason in MISSING[engine].items():
        if part in _parts(case):
            return reason
    return None


def _parts(case: Transcript) -> set[str]:
    parts = {"evictor"} if case.evictor is not None else set()
    parts |= {"count"} if "count" in case.window else set()
    parts |= {kind for kind in ("delta", "never") if kind in str(case.trigger)}
    return parts


def question(number: int, case: Transcript) -> dict[str, Any]:
    """Write a case down for job/play.py: all times in milliseconds, all defaults said, no expectations."""
    return {
        "number": number,
        "case": case.name,
        "window": _window(case.window),
        "trigger": None if case.trigger is None else _trigger(case.trigger),
        "evictor": None if case.evictor is None else _evictor(case.evictor),
        "allowed_lateness": case.allowed_lateness,
        "side_output": case.side_output,
        "aggregate": case.aggregate,
        "channels": case.channels,
        "steps": [_step(kind, value) for kind, value in case.steps if kind not in CHECKS],
    }


def _window(window: Any) -> dict[str, Any]:
    if window == "global":
        return {"kind": "global"}
    if "count" in window:
        return {"kind": "count", "size": window["count"], "slide": window.get("slide")}
    if "session" in window:
        gap = window["session"]
        return {"kind": "session", "gap": None if gap == "by value" else millis(gap)}
    offset = millis(window.get("offset", 0))
    if "tumbling" in window:
        return {"kind": "tumbling", "size": millis(window["tumbling"]), "offset": offset}
    return {"kind": "sliding", "size": millis(window["sliding"]), "slide": millis(window["slide"]), "offset": offset}


def _trigger(trigger: Any) -> list[Any]:
    if isinstance(trigger, str):
        return [trigger]
    ((kind, value),) = trigger.items()
    if kind == "purging":
        return [kind, _trigger(value)]
    return [kind, value if kind in {"count", "delta"} else millis(value)]


def _evictor(evictor: dict[str, Any]) -> dict[str, Any]:
    ((kind, value),) = [(kind, value) for kind, value in evictor.items() if kind != "after"]
    return {"kind": kind, "value": millis(value) if kind == "time" else value, "after": evictor.get("after", False)}


def _step(kind: str, value: Any) -> tuple[str, Any]:
    if kind == "element":
        at = millis(value["at"]) if "at" in value else None
        return kind, {"key": value.get("key", "a"), "value": value["value"], "at": at}
    if kind == "watermark":
        return kind, channel_and_time(value)
    return kind, value


def channel_and_time(watermark: Any) -> tuple[int, int]:
    """Read a watermark step."""
    if isinstance(watermark, dict):
        return watermark["channel"], millis(watermark["at"])
    return 0, millis(watermark)
