"""A SinkFunction as a process function that has no results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream.functions import ProcessFunction, SinkFunction

if TYPE_CHECKING:
    from flott.datastream.functions import RuntimeContext

__all__ = ["SinkCalls"]


class SinkCalls(ProcessFunction):
    """Calls ``invoke`` for every record."""

    def __init__(self, sink: SinkFunction) -> None:
        self.sink = sink
        self.context = SinkContext()

    def open(self, runtime_context: RuntimeContext) -> None:
        self.sink.open(runtime_context)

    def close(self) -> None:
        self.sink.close()

    def process_element(self, value: Any, ctx: ProcessFunction.Context) -> None:
        context = self.context
        context.ctx = ctx
        self.sink.invoke(value, context)


class SinkContext(SinkFunction.Context):
    """What a call knows besides the record: one object for all calls."""

    ctx: ProcessFunction.Context

    def current_processing_time(self) -> int:
        return self.ctx.timer_service().current_processing_time()

    def current_watermark(self) -> int:
        return self.ctx.timer_service().current_watermark()

    def timestamp(self) -> int | None:
        return self.ctx.timestamp()
