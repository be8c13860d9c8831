"""Every name that PyFlink 2.3 exports is there, under the same module."""

from __future__ import annotations

from importlib import import_module

import pytest

PYFLINK = {
    "": """
        StreamExecutionEnvironment DataStream KeyedStream WindowedStream ConnectedStreams BroadcastStream
        BroadcastConnectedStream AsyncDataStream DataStreamSink MapFunction CoMapFunction FlatMapFunction
        CoFlatMapFunction ReduceFunction FilterFunction ProcessFunction KeyedProcessFunction CoProcessFunction
        KeyedCoProcessFunction WindowFunction ProcessWindowFunction AggregateFunction BroadcastProcessFunction
        KeyedBroadcastProcessFunction AsyncFunction RuntimeContext TimerService CheckpointingMode CheckpointConfig
        ExternalizedCheckpointRetention StateBackend HashMapStateBackend EmbeddedRocksDBStateBackend
        CustomStateBackend PredefinedOptions CheckpointStorage JobManagerCheckpointStorage
        FileSystemCheckpointStorage CustomCheckpointStorage RuntimeExecutionMode Window TimeWindow CountWindow
        GlobalWindow WindowAssigner MergingWindowAssigner TriggerResult Trigger TimeDomain KeySelector Partitioner
        SourceFunction SinkFunction SlotSharingGroup MemorySize OutputTag AsyncRetryPredicate AsyncRetryStrategy
    """,
    ".functions": """
        RuntimeContext MapFunction CoMapFunction FlatMapFunction CoFlatMapFunction ReduceFunction AggregateFunction
        KeySelector FilterFunction Partitioner SourceFunction SinkFunction ProcessFunction CoProcessFunction
        KeyedProcessFunction KeyedCoProcessFunction TimerService WindowFunction AllWindowFunction
        ProcessWindowFunction ProcessAllWindowFunction BaseBroadcastProcessFunction BroadcastProcessFunction
        KeyedBroadcastProcessFunction AsyncFunction AsyncFunctionDescriptor AsyncRetryPredicate AsyncRetryStrategy
    """,
    ".state": """
        ValueStateDescriptor ValueState ListStateDescriptor ListState MapStateDescriptor MapState
        ReducingStateDescriptor ReducingState AggregatingStateDescriptor AggregatingState ReadOnlyBroadcastState
        BroadcastState StateTtlConfig OperatorStateStore
    """,
    ".data_stream": """
        CloseableIterator DataStream KeyedStream ConnectedStreams WindowedStream DataStreamSink BroadcastStream
        BroadcastConnectedStream
    """,
    ".async_data_stream": "AsyncDataStream",
    ".async_retry_predicates": "empty_result_predicate has_exception_predicate exception_type_predicate",
    ".async_retry_strategies": """
        RetryPredicate NoRetryStrategy FixedDelayRetryStrategy ExponentialBackoffDelayRetryStrategy
    """,
    ".checkpoint_config": "CheckpointConfig",
    ".checkpoint_storage": """
        CheckpointStorage JobManagerCheckpointStorage FileSystemCheckpointStorage CustomCheckpointStorage
    """,
    ".checkpointing_mode": "CheckpointingMode",
    ".execution_mode": "RuntimeExecutionMode",
    ".externalized_checkpoint_retention": "ExternalizedCheckpointRetention",
    ".output_tag": "OutputTag",
    ".slot_sharing_group": "MemorySize SlotSharingGroup",
    ".state_backend": """
        StateBackend HashMapStateBackend EmbeddedRocksDBStateBackend CustomStateBackend PredefinedOptions
    """,
    ".stream_execution_environment": "StreamExecutionEnvironment",
    ".time_domain": "TimeDomain",
    ".timerservice": "TimerService",
}


@pytest.mark.parametrize("module", PYFLINK)
def test_a_module_exports_what_pyflinks_does(module):
    exported = set(import_module(f"flott.datastream{module}").__all__)
    assert set(PYFLINK[module].split()) - exported == set()


def test_what_is_exported_is_there():
    package = import_module("flott.datastream")
    assert [name for name in package.__all__ if not hasattr(package, name)] == []
