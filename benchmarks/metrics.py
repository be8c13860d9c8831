"""What metrics cost: their share of the processor time of the keyed count, and what a counter of the user's own adds.

    python benchmarks/metrics.py [--rounds 5] [--records 200000]

Runs in this process, without Spark. Everything that is done for metrics, in tasks and in the driver, is timed where it
happens, and set against the whole: comparing runs with and without it would drown so small a difference in the noise
of a machine that does other things besides. Spark's own cost, which would make the share smaller, is not in it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from contextlib import ExitStack
from unittest.mock import patch

from flott.common import Configuration, Types
from flott.datastream import KeyedProcessFunction, RuntimeContext, StreamExecutionEnvironment
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.state import ValueStateDescriptor
from flott.metrics.job_metrics import JobMetrics
from flott.metrics.prometheus import render
from flott.runtime.metric_group import MetricGroup, MetricRegistry
from flott.testing.cluster import submit

LIMIT = 0.03
DONE_FOR_METRICS = [
    (JobMetrics, "observe"),
    (MetricRegistry, "restore"),
    (MetricRegistry, "snapshot"),
    (MetricRegistry, "measured"),
    (MetricGroup, "counts"),
]
CALLS = 2_000_000


class Count(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        yield value[0], count


class CountAndTell(Count):
    def open(self, runtime_context: RuntimeContext) -> None:
        super().open(runtime_context)
        self.seen = runtime_context.get_metrics_group().counter("seen")

    def process_element(self, value, ctx):
        self.seen.inc()
        return super().process_element(value, ctx)


def run(function: KeyedProcessFunction, records: int, keys: int) -> tuple[float, JobMetrics]:
    """Return the processor time of a run, and what it measured."""
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.set_parallelism(2)
    pairs = env.from_sequence(0, records - 1).map(lambda n: (n * 7919 % keys, n))
    pairs.key_by(lambda pair: pair[0]).process(function).sink_to(DiscardingSink())
    program = env.program("keyed count")
    begun = time.process_time()
    client = submit(program, Configuration())
    client.get_job_execution_result().result()
    return time.process_time() - begun, client.master.metrics


class Timed:
    """Sums up the processor time of some methods."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.calls = 0

    def wrap(self, method):
        def timed(*arguments):
            begun = time.thread_time()
            try:
                return method(*arguments)
            finally:
                self.seconds += time.thread_time() - begun
                self.calls += 1

        return timed


def share_of_metrics(records: int, keys: int) -> tuple[float, JobMetrics]:
    """Return what part of a run's processor time goes to metrics."""
    timed = Timed()
    with ExitStack() as wrapped:
        for owner, name in DONE_FOR_METRICS:
            wrapped.enter_context(patch.object(owner, name, timed.wrap(getattr(owner, name))))
        whole, metrics = run(CountAndTell(), records, keys)
    return timed.seconds / whole, metrics


def counter_cost() -> float:
    """Return the seconds that one `counter.inc()` takes."""
    inc = MetricGroup().counter("seen").inc
    begun = time.thread_time()
    for _ in range(CALLS):
        inc()
    with_calls = time.thread_time() - begun
    begun = time.thread_time()
    for _ in range(CALLS):
        pass
    return (with_calls - (time.thread_time() - begun)) / CALLS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--keys", type=int, default=1_000)
    options = parser.parse_args()
    run(Count(), options.records // 4, options.keys)  # warms up
    shares = []
    for _ in range(options.rounds):
        share, metrics = share_of_metrics(options.records, options.keys)
        shares.append(share)
    begun = time.thread_time()
    text = render([metrics])
    scrape = (time.thread_time() - begun) * 1000
    cost = statistics.median(shares)
    print(f"metrics take {cost:.2%} of the processor time (rounds: {', '.join(f'{share:.2%}' for share in shares)})")
    print(f"a counter.inc() of the user's own takes {counter_cost() * 1e9:.0f} ns")
    print(f"a scrape takes {scrape:.1f} ms of the driver, for {len(text.splitlines())} lines")
    if cost > LIMIT:
        sys.exit(f"metrics cost more than {LIMIT:.0%}")


if __name__ == "__main__":
    main()
