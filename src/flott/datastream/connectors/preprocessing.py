"""For sinks that want something done with the stream before it reaches them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flott.datastream.data_stream import DataStream

__all__ = ["StreamTransformer", "SupportsPreprocessing"]


class StreamTransformer(ABC):
    """Changes a stream on its way to a sink.

    >>> class AsText(StreamTransformer):
    ...     def apply(self, ds):
    ...         return ds.map(str)
    """

    @abstractmethod
    def apply(self, ds: DataStream) -> DataStream:
        """Returns the stream that the sink gets."""


class SupportsPreprocessing(ABC):
    """A sink that derives from this has its stream changed when it is given to ``sink_to``."""

    @abstractmethod
    def get_transformer(self) -> StreamTransformer | None:
        """Returns what changes the stream; None to leave it as it is."""
