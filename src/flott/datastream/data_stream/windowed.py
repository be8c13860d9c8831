"""WindowedStream: the records of each key, cut into windows."""

from __future__ import annotations

from typing import ClassVar

from flott.datastream._checks.roles import PROCESS_WINDOW, WINDOW, Role
from flott.datastream.data_stream.folding import WindowFolding
from flott.datastream.data_stream.windowed_base import Windowed

__all__ = ["WindowedStream"]


class WindowedStream(WindowFolding, Windowed):
    """A keyed stream cut into windows: what ``key_by(...).window(...)`` returns.

    >>> from flott.common import Duration
    >>> from flott.datastream import StreamExecutionEnvironment
    >>> from flott.datastream.window import TumblingEventTimeWindows
    >>> env = StreamExecutionEnvironment.get_execution_environment()
    >>> orders = env.from_collection([("ann", 3), ("bob", 5)])
    >>> minutes = orders.key_by(lambda order: order[0]).window(TumblingEventTimeWindows.of(Duration.of_minutes(1)))
    >>> minutes.allowed_lateness(5000).sum(1).get_name()
    'TumblingEventTimeWindows'
    """

    _call = "window(...)"
    _over_all = False
    _applied: ClassVar[Role] = WINDOW
    _processed: ClassVar[Role] = PROCESS_WINDOW
