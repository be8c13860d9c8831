"""How long a record may wait for its epoch when the input is slow: what ``set_buffer_timeout`` asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.graph.stream_graph import StreamNode


def latency_target(nodes: Iterable[StreamNode], epoch_target: int) -> int:
    """Return the milliseconds between the starts of two epochs while nothing is waiting.

    An epoch moves the records of all operators at once, so the most impatient one decides. 0 starts an epoch as soon
    as there is input. -1, which in Flink sends buffers only when they are full, stands for full epochs here.

    >>> from types import SimpleNamespace as Node
    >>> latency_target([Node(buffer_timeout=100), Node(buffer_timeout=20), Node(buffer_timeout=-1)], 1000)
    20
    >>> latency_target([Node(buffer_timeout=-1)], 1000)
    1000
    """
    return min((node.buffer_timeout for node in nodes if node.buffer_timeout >= 0), default=epoch_target)
