"""Streams: what a program is built of."""

from __future__ import annotations

from flott.datastream.data_stream.broadcast import BroadcastConnectedStream, BroadcastStream
from flott.datastream.data_stream.cached import CachedDataStream
from flott.datastream.data_stream.collecting import CloseableIterator
from flott.datastream.data_stream.connected import ConnectedStreams
from flott.datastream.data_stream.iterative import ConnectedIterativeStreams, IterativeStream
from flott.datastream.data_stream.keyed import KeyedStream
from flott.datastream.data_stream.partition_windowed import Order, PartitionWindowedStream
from flott.datastream.data_stream.sink import DataStreamSink
from flott.datastream.data_stream.split import SplitStream
from flott.datastream.data_stream.stream import DataStream
from flott.datastream.data_stream.windowed import WindowedStream
from flott.datastream.data_stream.windowed_all import AllWindowedStream

__all__ = [
    "AllWindowedStream",
    "BroadcastConnectedStream",
    "BroadcastStream",
    "CachedDataStream",
    "CloseableIterator",
    "ConnectedIterativeStreams",
    "ConnectedStreams",
    "DataStream",
    "DataStreamSink",
    "IterativeStream",
    "KeyedStream",
    "Order",
    "PartitionWindowedStream",
    "SplitStream",
    "WindowedStream",
]
