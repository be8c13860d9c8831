"""State much larger than memory allows for, and how long a new driver takes to go on with it.

    python benchmarks/large_state.py [--keys 5000000] [--bytes 200] [--random]

A job updates a value of so many bytes for each of so many keys, over and over, with a checkpoint every second. Measured
are the rate once every key is there, against that of 1 k keys (before and after it), and what each Python worker holds.
With ``--random`` the values are noise, which can't be packed on the way to storage.
Then the driver is killed, hard, and the program started again: how long does it take from the start of the job (Java
and Spark are up, and ran a bare job of the same shape) until the first records went through? Targets: half the rate,
500 MB a worker, 3 seconds with 1 GB.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
from keyed_count import machine

ROOT = Path(__file__).resolve().parent.parent


class Job:
    """The program in a process of its own; it says after every epoch what it did."""

    def __init__(self, keys: int, options: argparse.Namespace, directory: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        program = [sys.executable, str(ROOT / "benchmarks" / "programs" / "large_state.py")]
        self.process = subprocess.Popen(
            [*program, "--keys", str(keys), "--bytes", str(options.bytes), "--directory", directory,
             *(["--random"] if options.random else [])],
            stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
        self.most = 0.0

    def epoch(self) -> dict:
        """Wait for the next epoch; return what it did."""
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise RuntimeError("the job ended")
        for child in psutil.Process(self.process.pid).children(recursive=True):
            try:
                if "python" in child.name():
                    memory = child.memory_info()
                    # Pages of the store's file are the system's to take back: not counted.
                    self.most = max(self.most, (memory.rss - memory.shared) / 2**20)
            except psutil.NoSuchProcess:
                continue
        return json.loads(line)

    def run_until(self, records: int, least: int = 1) -> list[dict]:
        """Wait until so many records went through, in at least so many epochs."""
        epochs = [self.epoch()]
        while epochs[-1]["total"] < records or len(epochs) < least:
            epochs.append(self.epoch())
        return epochs

    def kill(self) -> None:
        """Kill the driver with -9; its Java and Python processes notice and go."""
        children = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        psutil.wait_procs(children, timeout=60)


def rate(epochs: list[dict]) -> float:
    return statistics.median(epoch["records"] / epoch["seconds"] for epoch in epochs)


def few_keys(options: argparse.Namespace) -> list[dict]:
    """Run the job with 1 k keys; return its epochs once it is warm."""
    with tempfile.TemporaryDirectory() as directory:
        job = Job(1_000, options, directory)
        epochs = job.run_until(min(6_000_000, 6_000_000 * 200 // options.bytes), least=12)[5:]
        job.kill()
    return epochs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=5_000_000)
    parser.add_argument("--bytes", type=int, default=200)
    parser.add_argument("--random", action="store_true", help="values that can't be packed")
    options = parser.parse_args()
    before = few_keys(options)
    with tempfile.TemporaryDirectory() as directory:
        job = Job(options.keys, options, f"{directory}/many")
        filled = job.run_until(options.keys)
        print(f"filled: {rate(filled):,.0f} records/s", file=sys.stderr, flush=True)
        updating = job.run_until(2 * options.keys)
        size = updating[-1]["state"] / 2**20
        job.kill()
        began = time.monotonic()
        again = Job(options.keys, options, f"{directory}/many")
        first = again.epoch()
        total = time.monotonic() - began
        again.kill()
    after = few_keys(options)
    base = statistics.median(epoch["records"] / epoch["seconds"] for epoch in before + after)
    print(f"{machine()}; {options.keys:,} keys of {options.bytes} bytes, {size:,.0f} MB in the last checkpoint")
    print(f"1,000 keys: {base:,.0f} records/s ({rate(before):,.0f} before, {rate(after):,.0f} after); "
          f"{options.keys:,} keys: {rate(updating):,.0f} records/s while updating "
          f"({rate(updating) / base:.2f} x; target 0.5 x), {rate(filled):,.0f} while they are new")  # fmt: skip
    print(f"a Python worker held {job.most:,.0f} MB at most (target 500 MB)")
    print(f"after kill -9 of the driver the first epoch was through {first['since_start']:.1f} s after the job started "
          f"(target 3 s); before that, Java and Spark took {first['spark_up']:.1f} s to come up and run a bare job; "
          f"{total:.1f} s in all")  # fmt: skip
    print(f"how the stores got to their version: {', '.join(first['stores'])}")


if __name__ == "__main__":
    main()
