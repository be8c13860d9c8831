"""Iterations: streams that feed back into themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.connectors.feedback import FeedbackSource
from flott.datastream._typed_values import declared
from flott.datastream.data_stream.connected import ConnectedStreams
from flott.datastream.data_stream.stream import DataStream
from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation, UnionTransformation
from flott.runtime.operators.feedback import FeedbackHead, FeedbackTail

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation
    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.graph.transformations import Transformation

__all__ = ["ConnectedIterativeStreams", "IterativeStream"]


class IterativeStream(DataStream):
    """A stream together with what feeds back into it: ``stream.iterate()``.

    What goes back in one epoch arrives in the next, and is part of a checkpoint in between. Without a way back out,
    by a filter or a side output, records would go round for ever.

    >>> from flott.datastream import StreamExecutionEnvironment
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> numbers = env.from_collection([5, 12]).iterate()
    >>> less = numbers.map(lambda n: n - 1)
    >>> _ = numbers.close_with(less.filter(lambda n: n > 0))
    >>> _ = less.filter(lambda n: n <= 0).print()
    """

    def __init__(self, environment: StreamExecutionEnvironment, upstream: DataStream, max_wait_time: int) -> None:
        self._upstream = upstream
        self._loop = Loop(environment, max_wait_time, upstream.get_type())
        step = UnionTransformation(
            id=environment.steps.next_id(),
            name="iterate()",
            inputs=(upstream.get_transformation(), self._loop.head),
            output_type=upstream.get_type(),
        )
        super().__init__(environment, step)

    def close_with(self, feedback_stream: DataStream) -> DataStream:
        """Lets a stream that was made from this one flow back into it; returns that stream.

        May be called several times, for several ways back.
        """
        self._loop.close("close_with(...)", feedback_stream, self.get_type())
        return feedback_stream

    def with_feedback_type(self, feedback_type: TypeInformation | None = None) -> ConnectedIterativeStreams:
        """Keeps what feeds back apart from the input, so that it may have another type."""
        self._loop.head.output_type = declared("with_feedback_type(...)", feedback_type)
        return ConnectedIterativeStreams(self._upstream, DataStream(self._environment, self._loop.head), self._loop)


class ConnectedIterativeStreams(ConnectedStreams):
    """The input of an iteration next to what feeds back into it: ``iterate().with_feedback_type(...)``."""

    def __init__(self, stream1: DataStream, stream2: DataStream, loop: Loop) -> None:
        super().__init__(stream1, stream2)
        self._loop = loop

    def close_with(self, feedback_stream: DataStream) -> DataStream:
        """Lets a stream that was made from these flow back as the second one; returns that stream."""
        self._loop.close("close_with(...)", feedback_stream, self.stream2.get_type())
        return feedback_stream


class Loop:
    """The head of an iteration, and its ends."""

    def __init__(self, environment: StreamExecutionEnvironment, max_wait_time: int, kind: TypeInformation) -> None:
        if max_wait_time < 0:
            raise GraphError(f"iterate({max_wait_time!r}): give the longest wait in milliseconds, 0 or more")
        self._environment = environment
        self._source = FeedbackSource(max_wait_time)
        number = environment.steps.next_id()
        self.head = PhysicalTransformation(
            id=number,
            name=f"IterationSource-{number}",
            output_type=kind,
            operator=FeedbackHead(self._source),
            source=self._source,
        )

    def close(self, call: str, feedback: DataStream, kind: TypeInformation) -> None:
        """Let a stream flow back."""
        if not isinstance(feedback, DataStream):
            raise GraphError(f"{call}: {feedback!r:.100} is no DataStream")
        if not _comes_from(feedback.get_transformation(), self.head):
            raise GraphError(f"{call}: the stream does not come from this iteration; feed back what was made from it")
        if feedback.get_type() != kind:
            raise GraphError(
                f"{call}: the iteration takes {kind!r}, what feeds back is {feedback.get_type()!r}; "
                "map(..., output_type=...) it, or say iterate().with_feedback_type(...)"
            )
        self._source.closed = True
        steps = self._environment.steps
        steps.register(
            PhysicalTransformation(
                id=(number := steps.next_id()),
                name=f"IterationSink-{number}",
                inputs=(feedback.get_transformation(),),
                output_type=kind,
                operator=FeedbackTail(self._source.receive),
                is_sink=True,
            )
        )


def _comes_from(step: Transformation, head: Transformation) -> bool:
    waiting, seen = [step], {step}
    while waiting:
        one = waiting.pop()
        if one is head:
            return True
        new = [upstream for upstream in one.inputs if upstream not in seen]
        seen.update(new)
        waiting.extend(new)
    return False
