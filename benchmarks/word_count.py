"""Word count over a large text file in one job, checked against ``sort | uniq -c``.

    python benchmarks/word_count.py [--megabytes 1024]

Makes the text (seeded), counts its words with a keyed, stateful job on embedded Spark that reads it epoch by epoch,
and compares with what the shell says. Prints throughput and the most memory that the Python processes held.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
from itertools import accumulate
from pathlib import Path

from peers import PeakMemory

from flott.common import Configuration, Types
from flott.datastream import KeyedProcessFunction, StreamExecutionEnvironment
from flott.datastream.state import ValueStateDescriptor

END_OF_TIME = 2**63 - 1


class Count(KeyedProcessFunction):
    """Counts a word and tells its count once, when the input has ended."""

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = self.count.value()
        if count is None:
            ctx.timer_service().register_event_time_timer(END_OF_TIME)
            count = 0
        self.count.update(count + 1)

    def on_timer(self, timestamp, ctx):
        yield ctx.get_current_key(), self.count.value()


def make_text(path: Path, megabytes: int) -> None:
    dice = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randrange(4, 16))) for _ in range(50_000)]
    weights = list(accumulate(1 / (rank + 10) for rank in range(len(words))))
    size = 0
    with path.open("w", encoding="ascii") as file:
        while size < megabytes * 2**20:
            # A page is drawn once and written ten times, which is what takes least of the benchmark's time.
            drawn = dice.choices(words, cum_weights=weights, k=120_000)
            page = "".join(" ".join(drawn[line : line + 12]) + "\n" for line in range(0, len(drawn), 12))
            size += file.write(page * 10)


def shell_count(path: Path) -> dict[str, int]:
    command = f"tr ' ' '\\n' < {path} | sort -S 4G --parallel=2 | uniq -c"
    done = subprocess.run(  # noqa: S602 - a pipe of the shell is what we compare with
        command,
        shell=True,
        check=True,
        capture_output=True,
        text=True,
        env=dict(os.environ, LC_ALL="C"),
    )
    pairs = (line.split() for line in done.stdout.splitlines())
    return {word: int(count) for count, word in pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1024)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flott-words-") as directory:
        path = Path(directory) / "text.txt"
        make_text(path, options.megabytes)
        size = path.stat().st_size
        configuration = Configuration()
        configuration.set_string("flott.spark.master", "local[2]")
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_parallelism(2)
        counted = env.read_text_file(str(path)).flat_map(str.split).key_by(lambda word: word).process(Count())
        peak = PeakMemory(os.getpid())
        started = time.monotonic()
        with counted.execute_and_collect("word count") as results:
            counts = dict(results)
        seconds = time.monotonic() - started
        peak.stop()
        words = sum(counts.values())
        print(f"{size / 2**20:,.0f} MB, {words:,} words, {len(counts):,} different, {seconds:.0f} s")
        speed = f"{words / seconds:,.0f} words/s, {size / 2**20 / seconds:.1f} MB/s"
        print(f"{speed}, Python memory at most {peak.most / 2**20:,.0f} MB")
        same = counts == shell_count(path)
        print("equal to sort | uniq -c" if same else "DIFFERS from sort | uniq -c")
        raise SystemExit(0 if same else 1)


if __name__ == "__main__":
    main()
