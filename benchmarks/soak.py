"""Thousands of small epochs in one job: does anything grow?

    python benchmarks/soak.py [--epochs 3000] [--plot soak.svg]

A keyed, stateful job on embedded Spark gets a trickle of records, so that every epoch is small. Memory of the driver,
of Java and of the workers, open files and disk are sampled every few epochs; the medians of the last 500 epochs are
compared with those of the 500 after the first 500.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import psutil
from pyspark.sql import SparkSession

from flott.common import Configuration, Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.datastream.connectors.discard import DiscardingSink
from flott.datastream.state import ListStateDescriptor, ValueStateDescriptor

MEASURES = {
    "driver_mb": "driver memory, MB",
    "java_live_mb": "Java heap after a collection, MB",
    "workers_mb": "Python workers' memory, MB",
    "open_files": "open files of all processes",
    "disk_mb": "disk (shuffle files, state), MB",
    "epoch_ms": "time of an epoch, ms",
}


class Count(KeyedProcessFunction):
    """Counts per key and keeps the last ten numbers, so that values and lists are written all the time."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))
        self.recent = runtime_context.get_list_state(ListStateDescriptor("recent", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        self.recent.add(value)
        if count % 10 == 0:
            self.recent.clear()
        yield count


def live_heap() -> float:
    """Return what Java's heap holds once the garbage is gone; the process itself takes what it is allowed to."""
    java = SparkSession.active().sparkContext._jvm.java.lang  # noqa: SLF001 - measuring, not moving data
    java.System.gc()
    runtime = java.Runtime.getRuntime()
    return (runtime.totalMemory() - runtime.freeMemory()) / 2**20


def sample(directory: Path) -> dict:
    driver = psutil.Process()
    figures = {"driver_mb": driver.memory_info().rss / 2**20, "workers_mb": 0.0}
    files = driver.num_fds()
    for child in driver.children(recursive=True):
        try:
            if "java" not in child.name():
                figures["workers_mb"] += child.memory_info().rss / 2**20
            files += child.num_fds()
        except psutil.NoSuchProcess:
            continue
    sizes = [path.stat().st_blocks * 512 for path in directory.rglob("*") if path.is_file()]
    return figures | {"open_files": files, "disk_mb": sum(sizes) / 2**20}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=3000)
    parser.add_argument("--every", type=int, default=10, help="sample after this many epochs")
    parser.add_argument("--plot", help="draw the curves into this file (.svg or .png)")
    parser.add_argument("--json", help="write the samples to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flott-soak-") as directory:
        samples = soak(options.epochs, options.every, Path(directory))
    ok = report(samples, options.epochs)
    if options.json:
        Path(options.json).write_text(json.dumps(samples))
    if options.plot:
        plot(samples, options.plot)
    raise SystemExit(0 if ok else 1)


def soak(epochs: int, every: int, directory: Path) -> list[dict]:
    configuration = Configuration()
    configuration.set_string("flott.spark.master", "local[2]")
    configuration.set_string("spark.local.dir", str(directory))
    configuration.set_string("flott.state.dir", str(directory / "state"))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    env.set_buffer_timeout(1)
    source = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(2000))
    (
        env.from_source(source, WatermarkStrategy.no_watermarks(), "trickle")
        .map(lambda n: (n % 5000, n))
        .key_by(lambda pair: pair[0])
        .process(Count())
        .sink_to(DiscardingSink())
    )
    samples: list[dict] = []
    times: list[float] = []
    client = env.execute_async("soak")

    def watch(stats) -> None:
        times.append(stats.seconds)
        if stats.epoch % every == 0:
            heap = live_heap() if stats.epoch % (5 * every) == 0 or not samples else samples[-1]["java_live_mb"]
            moment = sample(directory) | {"epoch": stats.epoch, "java_live_mb": heap}
            moment["epoch_ms"] = statistics.median(times[-every:]) * 1000
            samples.append(moment)
            if stats.epoch % 500 == 0:
                figures = ", ".join(f"{key} {moment[key]:.0f}" for key in MEASURES)
                print(f"epoch {stats.epoch}: {figures}", flush=True)

    client.master.listeners.append(watch)
    while not samples or samples[-1]["epoch"] < epochs:
        if client.get_job_execution_result().done():
            client.get_job_execution_result().result()
        time.sleep(0.2)
    client.cancel().result(60)
    return samples


def report(samples: list[dict], epochs: int) -> bool:
    early = [s for s in samples if 500 < s["epoch"] <= 1000]
    late = [s for s in samples if s["epoch"] > epochs - 500]
    print(f"\n{epochs} epochs\n\n| | epochs 501 to 1000 | last 500 epochs | growth |\n|---|---|---|---|")
    flat = True
    for key, title in MEASURES.items():
        before = statistics.median(s[key] for s in early)
        after = statistics.median(s[key] for s in late)
        growth = after / before - 1 if before else 0.0
        flat &= growth < 0.15
        print(f"| {title} | {before:,.1f} | {after:,.1f} | {growth:+.1%} |")
    return flat


def plot(samples: list[dict], path: str) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 2, figsize=(10, 8), sharex=True)
    for axis, (key, title) in zip(axes.flat, MEASURES.items(), strict=True):
        axis.plot([s["epoch"] for s in samples], [s[key] for s in samples], linewidth=1)
        axis.set_title(title, fontsize=9)
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
    for axis in axes[-1]:
        axis.set_xlabel("epoch")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    main()
