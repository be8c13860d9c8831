"""A job on a cluster that says where its subtasks ran, epoch by epoch, a line of JSON each: `places_program.py OUT`.

Its function prints. It has no end, so a test ends it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from flott.common import Types, WatermarkStrategy
from flott.connectors.data_generator import DataGeneratorSource
from flott.connectors.rate_limiter import RateLimiterStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.state import ValueStateDescriptor


class Count(KeyedProcessFunction):
    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        # Each executor works in a directory of its own.
        runtime_context.get_metrics_group().gauge("where", lambda: str(Path.cwd()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        if count == 1:
            print("first of", ctx.get_current_key())  # noqa: T201 - what is tested
        yield count


if __name__ == "__main__":
    env = StreamExecutionEnvironment.get_execution_environment()
    source = DataGeneratorSource(int, None, RateLimiterStrategy.per_second(1_000), Types.LONG())
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    numbers.key_by(lambda n: n % 100).process(Count()).name("count").sink_to(DiscardingSink())
    client = env.execute_async("places")
    with Path(sys.argv[1]).open("a") as told:

        def tell(stats):
            places = {
                report.subtask: metric.value
                for report in stats.reports
                for metrics in report.metrics.values()
                for metric in metrics
                if metric.name == "where"
            }
            stores = [report.store_path for report in stats.reports if report.store_path]
            told.write(f"{json.dumps({'places': places, 'stores': stores, 'seconds': stats.seconds})}\n")
            told.flush()

        client.master.listeners.append(tell)
        client.get_job_execution_result().result()
