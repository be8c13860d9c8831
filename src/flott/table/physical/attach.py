"""Puts operators behind streams of columns, as parallel as what they read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flott.runtime.operator import Operator


def behind(stream: Any, name: str, operator: Operator, output_type: Any = None) -> Any:
    """Return the stream behind one more operator; nothing is exchanged on the way."""
    made = stream._apply(name, operator, output_type)  # noqa: SLF001 - ours
    made.get_transformation().parallelism = _parallelism(stream)
    return made


def sink_behind(stream: Any, name: str, operator: Operator) -> Any:
    """Put a sink behind a stream."""
    made = stream._sink(name, operator)  # noqa: SLF001 - ours
    parallelism = _parallelism(stream)
    return made if parallelism is None else made.set_parallelism(parallelism)


def _parallelism(stream: Any) -> int | None:
    found: int | None = stream.get_transformation().parallelism
    return found
