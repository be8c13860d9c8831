"""Finds operators that would wait for event time for ever, because nobody tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.graph.transformations import PhysicalTransformation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.graph.transformations import Transformation


def without_event_time(steps: Iterable[PhysicalTransformation]) -> Iterator[str]:
    """Yield a warning for each operator that waits for watermarks while nothing before it makes any.

    Where all inputs end there is nothing to warn of: the end of the input is the end of time.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> from flott.common import Time
    >>> from flott.datastream.window import TumblingEventTimeWindows
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> words = env.socket_text_stream("localhost", 9999).key_by(lambda word: word)
    >>> _ = words.window(TumblingEventTimeWindows.of(Time.seconds(5))).reduce(max)
    >>> [warning] = without_event_time(env.get_transformations())
    >>> print(warning.partition(",")[0])
    operator 'TumblingEventTimeWindows' (no uid) will never give a result: it waits for event time
    """
    for step in steps:
        if step.operator.waits_for_watermarks:
            endless = _endless_sources(step)
            if endless:
                yield (
                    f"{step.label} will never give a result: it waits for event time, and nothing before it says how "
                    f"far that is. The input has no end and no watermarks: {', '.join(endless)}; give "
                    "env.from_source(...) a WatermarkStrategy, such as for_bounded_out_of_orderness(...), or call "
                    "stream.assign_timestamps_and_watermarks(...) before this step, or use processing time"
                )


def _endless_sources(step: PhysicalTransformation) -> list[str]:
    """Return the names of sources without an end, unless one of all inputs has watermarks."""
    found: dict[str, None] = {}
    pending: list[Transformation] = [*step.inputs]
    seen: set[int] = set()
    while pending:
        at = pending.pop()
        if at.id in seen:
            continue
        seen.add(at.id)
        pending.extend(at.inputs)
        if isinstance(at, PhysicalTransformation):
            if at.operator.makes_watermarks:
                return []
            if at.source is not None and not at.source.is_bounded():
                found[f"'{at.name}'"] = None
    return list(found)
