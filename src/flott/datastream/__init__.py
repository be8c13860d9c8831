"""The DataStream API: streams, functions, state, windows and the environment that executes them.

The names are those of `pyflink.datastream`:

>>> from flott.datastream import StreamExecutionEnvironment
>>> env = StreamExecutionEnvironment.get_execution_environment()
>>> numbers = env.from_collection([1, 2, 3])
>>> _ = numbers.map(lambda number: number + 1).print()
"""

from __future__ import annotations

from flott.datastream.async_data_stream import AsyncDataStream
from flott.datastream.checkpoint_config import CheckpointConfig
from flott.datastream.checkpoint_storage import (
    CheckpointStorage,
    CustomCheckpointStorage,
    FileSystemCheckpointStorage,
    JobManagerCheckpointStorage,
)
from flott.datastream.checkpointing_mode import CheckpointingMode
from flott.datastream.data_stream import (
    AllWindowedStream,
    BroadcastConnectedStream,
    BroadcastStream,
    CachedDataStream,
    CloseableIterator,
    ConnectedIterativeStreams,
    ConnectedStreams,
    DataStream,
    DataStreamSink,
    IterativeStream,
    KeyedStream,
    Order,
    PartitionWindowedStream,
    SplitStream,
    WindowedStream,
)
from flott.datastream.execution_mode import RuntimeExecutionMode
from flott.datastream.externalized_checkpoint_retention import ExternalizedCheckpointRetention
from flott.datastream.functions import (
    AggregateFunction,
    AllWindowFunction,
    AsyncFunction,
    AsyncRetryPredicate,
    AsyncRetryStrategy,
    BroadcastProcessFunction,
    CheckpointedFunction,
    CheckpointListener,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatMapFunction,
    FoldFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    KeySelector,
    MapFunction,
    MapPartitionFunction,
    OutputSelector,
    Partitioner,
    ProcessAllWindowFunction,
    ProcessFunction,
    ProcessWindowFunction,
    ReduceFunction,
    RuntimeContext,
    SinkFunction,
    SourceFunction,
    TimerService,
    TwoPhaseCommitSinkFunction,
    WindowFunction,
)
from flott.datastream.job_listener import JobListener
from flott.datastream.output_tag import OutputTag
from flott.datastream.result_type import ResultTypeQueryable
from flott.datastream.slot_sharing_group import MemorySize, SlotSharingGroup
from flott.datastream.state_backend import (
    CustomStateBackend,
    EmbeddedRocksDBStateBackend,
    HashMapStateBackend,
    PredefinedOptions,
    StateBackend,
)
from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
from flott.datastream.time_domain import TimeDomain
from flott.datastream.window import (
    CountWindow,
    Evictor,
    GlobalWindow,
    MergingWindowAssigner,
    TimeWindow,
    Trigger,
    TriggerResult,
    Window,
    WindowAssigner,
)

__all__ = [
    "AggregateFunction",
    "AllWindowFunction",
    "AllWindowedStream",
    "AsyncDataStream",
    "AsyncFunction",
    "AsyncRetryPredicate",
    "AsyncRetryStrategy",
    "BroadcastConnectedStream",
    "BroadcastProcessFunction",
    "BroadcastStream",
    "CachedDataStream",
    "CheckpointConfig",
    "CheckpointListener",
    "CheckpointStorage",
    "CheckpointedFunction",
    "CheckpointingMode",
    "CloseableIterator",
    "CoFlatMapFunction",
    "CoMapFunction",
    "CoProcessFunction",
    "ConnectedIterativeStreams",
    "ConnectedStreams",
    "CountWindow",
    "CustomCheckpointStorage",
    "CustomStateBackend",
    "DataStream",
    "DataStreamSink",
    "EmbeddedRocksDBStateBackend",
    "Evictor",
    "ExternalizedCheckpointRetention",
    "FileSystemCheckpointStorage",
    "FilterFunction",
    "FlatMapFunction",
    "FoldFunction",
    "GlobalWindow",
    "HashMapStateBackend",
    "IterativeStream",
    "JobListener",
    "JobManagerCheckpointStorage",
    "KeySelector",
    "KeyedBroadcastProcessFunction",
    "KeyedCoProcessFunction",
    "KeyedProcessFunction",
    "KeyedStream",
    "MapFunction",
    "MapPartitionFunction",
    "MemorySize",
    "MergingWindowAssigner",
    "Order",
    "OutputSelector",
    "OutputTag",
    "PartitionWindowedStream",
    "Partitioner",
    "PredefinedOptions",
    "ProcessAllWindowFunction",
    "ProcessFunction",
    "ProcessWindowFunction",
    "ReduceFunction",
    "ResultTypeQueryable",
    "RuntimeContext",
    "RuntimeExecutionMode",
    "SinkFunction",
    "SlotSharingGroup",
    "SourceFunction",
    "SplitStream",
    "StateBackend",
    "StreamExecutionEnvironment",
    "TimeDomain",
    "TimeWindow",
    "TimerService",
    "Trigger",
    "TriggerResult",
    "TwoPhaseCommitSinkFunction",
    "Window",
    "WindowAssigner",
    "WindowFunction",
    "WindowedStream",
]
