"""generator → map → key_by → KeyedProcessFunction with ValueState → discard. One program, two engines.

Run by benchmarks/keyed_count.py; prints one line of JSON. Apart from the imports and the discarding sink, which
PyFlink offers only through its Java class, the program is the same on both.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from discarding import discard


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["flott", "pyflink"], required=True)
    parser.add_argument("--mode", choices=["thread", "process"], default="thread", help="PyFlink's execution mode")
    parser.add_argument("--keys", type=int, required=True)
    parser.add_argument("--records", type=int, required=True)
    parser.add_argument("--bytes", type=int, default=0, help="so large is the value of each key; 0: a number")
    parser.add_argument("--parallelism", type=int, default=2)
    parser.add_argument("--checkpoints", help="take a checkpoint every second, into this directory (Flott)")
    return parser.parse_args()


options = arguments()
if options.engine == "flott":
    from flott.common import Configuration, Types, WatermarkStrategy
    from flott.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
    from flott.datastream.connectors.number_seq import NumberSequenceSource
    from flott.datastream.state import ValueStateDescriptor
else:
    from pyflink.common import Configuration, Types, WatermarkStrategy
    from pyflink.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
    from pyflink.datastream.connectors.number_seq import NumberSequenceSource
    from pyflink.datastream.state import ValueStateDescriptor

KEYS = options.keys


class Count(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield value[0], count


class CountInBytes(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value, ctx):
        before = self.count.value()
        count = 1 if before is None else int.from_bytes(before[:8], "big") + 1
        self.count.update(count.to_bytes(8, "big").ljust(options.bytes, b"x"))
        yield value[0], count


def main() -> None:
    configuration = Configuration()
    if options.engine == "pyflink":
        configuration.set_string("python.execution-mode", options.mode)
        configuration.set_string("python.executable", sys.executable)
    else:
        configuration.set_string("flott.spark.master", f"local[{options.parallelism}]")
        if options.checkpoints:
            configuration.set_string("execution.checkpointing.interval", "1 s")
            configuration.set_string("execution.checkpointing.dir", options.checkpoints)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(options.parallelism)
    source = env.from_source(
        NumberSequenceSource(0, options.records - 1), WatermarkStrategy.no_watermarks(), "numbers", Types.LONG()
    )
    pair = Types.TUPLE([Types.LONG(), Types.LONG()])
    counted = (
        source.map(lambda n: (n * 7919 % KEYS, n), output_type=pair)
        .key_by(lambda pair: pair[0], key_type=Types.LONG())
        .process(CountInBytes() if options.bytes else Count(), output_type=pair)
    )
    discard(counted, options.engine)
    started = time.time()
    client = env.execute_async("keyed count")
    memory = watch_memory(client) if options.engine == "flott" else []
    result = client.get_job_execution_result().result()
    seconds = time.time() - started
    net = result.get_net_runtime() / 1000
    figures = {"seconds": seconds, "net_seconds": net, "records": options.records, "memory_mb": memory}
    if options.checkpoints:
        figures["checkpoints"] = client.master.checkpoints.statistics.completed
    print(json.dumps(figures))


def watch_memory(client) -> list[float]:
    """Note after every epoch what the workers hold."""
    import os

    import psutil

    memory: list[float] = []

    def note(_) -> None:
        children = psutil.Process(os.getpid()).children(recursive=True)
        held = [child.memory_info().rss for child in children if "python" in child.name()]
        memory.append(round(sum(held) / 2**20, 1))

    client.master.listeners.append(note)
    return memory


main()
