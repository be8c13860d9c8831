"""split and select, which Flink 2 no longer has: a thin layer over side outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream._checks.roles import OUTPUT_SELECTOR
from flott.datastream.functions import ProcessFunction
from flott.runtime.operators.process import Process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.datastream.data_stream.split import SplitStream
    from flott.datastream.data_stream.stream import DataStream
    from flott.datastream.functions import RuntimeContext
    from flott.datastream.functions.output_selector import OutputSelector
    from flott.runtime.output_tag import OutputTag

__all__ = ["Split", "Splitting"]


class Split(ProcessFunction):
    """Hands every record on, and besides to each selection that has one of the names the selector gives it."""

    def __init__(self, selector: OutputSelector) -> None:
        self.selector = selector
        self.selections: dict[OutputTag, frozenset[str]] = {}
        """Grows while the program is written."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.selector.open(runtime_context)

    def close(self) -> None:
        self.selector.close()

    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> Iterable[Any]:
        names = self.selector.select(value)
        if names:
            # A record that belongs to several names of one selection is there once.
            chosen = {names} if isinstance(names, str) else frozenset(names)
            for tag, wanted in self.selections.items():
                if not wanted.isdisjoint(chosen):
                    ctx.output(tag, value)
        return (value,)


class Splitting:
    """``split`` of a stream."""

    _apply: Callable[..., DataStream]

    def split(self, output_selector: Callable[[Any], Iterable[str] | str | None] | OutputSelector) -> SplitStream:
        """Gives each record the names of the outputs it belongs to; ``select`` then takes those of some names.

        Args:
            output_selector: A callable that returns the names of a record's outputs (one, several or none), or an
                OutputSelector.
        """
        from flott.datastream.data_stream.split import SplitStream

        split = Split(OUTPUT_SELECTOR.take("split(...)", output_selector))
        return SplitStream(self._apply("Split", Process(split)), split)
