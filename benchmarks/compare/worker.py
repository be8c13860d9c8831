"""A process that runs scenarios of one revision on request: a line of JSON in, a line of JSON out.

It outlives many requests, so that neither imports nor a start of Spark is in what is measured. In-process, each request
is answered by a child of its own, which finds everything imported and nothing else.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from pathlib import Path

import psutil


def environment(target: str):
    """Return a new environment; in-process, no clock decides how many records an epoch reads."""
    from flott.common import Configuration
    from flott.datastream import StreamExecutionEnvironment

    configuration = Configuration()
    if target == "in-process":
        configuration.set_string("flott.execution.target", target)
        configuration.set_string("flott.epoch.target-duration", "1 h")
    else:
        configuration.set_string("flott.spark.master", "local[2]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    return env


def cpu_seconds() -> float:
    """Return the CPU time of this process and, with Spark, of Java and the workers below it."""
    total = time.process_time()
    for process in psutil.Process().children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def run(scenario, target: str, records: int) -> dict[str, float]:
    """Run a scenario once, with the garbage collector off as in a worker during a task."""
    env = environment(target)
    measure = time.process_time if target == "in-process" else cpu_seconds
    gc.collect()
    gc.disable()
    try:
        before, started = measure(), time.monotonic()
        scenario.run(env, records)
        return {"cpu": measure() - before, "seconds": time.monotonic() - started}
    finally:
        gc.enable()


def check(source: Path, *, pure: bool) -> None:
    """Fail unless this process runs what it is asked to measure."""
    import flott
    from flott.runtime import native

    found = Path(flott.__file__).resolve().parents[1]
    if found != source.resolve():
        sys.exit(f"expected Flott from {source}, but imported it from {found}")
    if (native.entries is None) != pure:
        sys.exit(f"expected Flott {'without' if pure else 'with'} its compiled parts in {source}, but got the opposite")


def answer(asked: dict, target: str) -> list[dict[str, float]]:
    """Run a scenario some times, after once that does not count."""
    from benchmarks.compare.scenarios import SCENARIOS

    scenario = next(one for one in SCENARIOS if one.name == asked["scenario"])
    costs = [run(scenario, target, asked["records"]) for _ in range(asked["rounds"] + 1)]
    return costs[1:]


def main() -> None:
    source, target = Path(sys.argv[1]), sys.argv[2]
    # What a job prints goes to stderr, so that it does not mix with the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    check(source, pure=os.environ.get("FLOTT_PURE") == "1")
    import benchmarks.compare.scenarios  # noqa: F401 - before the first request

    gc.collect()
    gc.freeze()  # what was imported is not looked at before every run
    for line in sys.stdin:
        child = os.fork() if target == "in-process" else 0
        if child == 0:
            answers.write(json.dumps(answer(json.loads(line), target)) + "\n")
            answers.flush()
            if target == "in-process":
                os._exit(0)
        elif os.waitpid(child, 0)[1] != 0:
            answers.write("\n")
            answers.flush()


if __name__ == "__main__":
    main()
