"""CEP: where a pattern meets a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.cep.pattern import Pattern
from flott.cep.pattern_stream import PatternStream
from flott.datastream import DataStream
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CEP"]


class CEP:
    """Looks for patterns in streams.

    >>> from flott.cep import Pattern
    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> clicks = env.from_collection([("ann", "cart"), ("ann", "pay")])
    >>> bought = Pattern.begin("cart").where(lambda click: click[1] == "cart").next("pay")
    >>> found = CEP.pattern(clicks.key_by(lambda click: click[0]), bought).in_processing_time()
    >>> found.select(lambda match: match["cart"][0][0]).get_name()
    'CepOperator'
    """

    @staticmethod
    def pattern(
        input: DataStream, pattern: Pattern, comparator: Callable[[Any, Any], int] | None = None
    ) -> PatternStream:
        """Looks for a pattern: in a keyed stream for each key, in another one by a single subtask.

        Args:
            input: The stream.
            pattern: The pattern; it is checked and compiled here.
            comparator: Which of two events of the same timestamp comes first; without it, the one that arrived first.
        """
        if not isinstance(input, DataStream):
            raise GraphError(f"CEP.pattern(...): {input!r:.100} is no stream")
        if not isinstance(pattern, Pattern):
            raise GraphError(f"CEP.pattern(...): {pattern!r:.100} is no Pattern; begin one with Pattern.begin('start')")
        return PatternStream(input, pattern, comparator)
