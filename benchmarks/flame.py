"""Where the time of a job goes: a flame graph of its Python workers, for scenarios of bench.py.

    python benchmarks/flame.py [--only keyed] [--seconds 10] [--into docs/figures]

Runs Flott's program of each scenario, lets it get warm, and looks at its workers 200 times a second for a while
(py-spy, compiled code included). Writes flame-<scenario>.svg; open it in a browser, where it can be searched.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
from peers import ROOT
from scenarios import SCENARIOS, Contender

RATE, WARM_UP = 200, 15.0


def worker_daemon(pid: int, timeout: float = 60) -> int:
    """Wait for the process whose copies the Python workers are."""
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        for child in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.Error):  # It may be gone by now.
                if "flott.spark.daemon" in child.cmdline() and "java" not in child.name():
                    return child.pid
        time.sleep(0.2)
    raise SystemExit("the job has no Python workers")


def record(contender: Contender, path: Path, seconds: int) -> None:
    """Run a program that lasts long enough, and draw what its workers do."""
    program = [sys.executable, str(ROOT / "benchmarks" / "programs" / contender.program), "--engine", "flott"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    records = str(50 * contender.sizes[1])
    job = subprocess.Popen(
        [*program, *contender.arguments, "--records", records], env=environment, stdout=subprocess.DEVNULL
    )
    try:
        daemon = worker_daemon(job.pid)
        time.sleep(WARM_UP)
        spy = shutil.which("py-spy") or "py-spy"
        subprocess.run(
            [spy, "record", "-p", str(daemon), "--subprocesses", "--native", "-d", str(seconds), "-r", str(RATE),
             "-f", "flamegraph", "-o", str(path)],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    finally:
        children = psutil.Process(job.pid).children(recursive=True)
        job.kill()
        job.wait()
        psutil.wait_procs(children, timeout=30)


def without_places(drawing: str, title: str) -> str:
    """Give a drawing its title, in place of py-spy's command line, and take the command lines of processes out.

    They say where this machine has its files.

    >>> without_places(
    ...     '<text id="title">/bin/py-spy -p 1</text><title>process 2:&quot;python&quot; (9)</title>', "Join"
    ... )
    '<text id="title">Join</text><title>process (9)</title>'
    >>> without_places("<text>process 2:&quot;/bin/pyt..</text><text>&quot;</text>", "Join")
    '<text>process</text><text>&quot;</text>'
    """
    drawing = re.sub(r'(<text id="title"[^>]*>)[^<]*', rf"\g<1>{title}", drawing)
    drawing = re.sub(r"process \d+:(&quot;|\")[^<]*?\1", "process", drawing)
    # What stands in a box may be cut off anywhere.
    return re.sub(r"process \d+:[^<(]*", "process", drawing).replace(f"{ROOT}/", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="only scenarios with this in their name")
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--into", type=Path, default=ROOT / "docs" / "figures")
    options = parser.parse_args()
    for scenario in SCENARIOS:
        if (options.only or "") in scenario.name:
            contender = next(one for one in scenario.contenders if one.engine == "flott")
            name = re.sub(r"[^a-z0-9]+", "-", scenario.name.lower())
            path = options.into / f"flame-{name}.svg"
            record(contender, path, options.seconds)
            path.write_text(without_places(path.read_text(), scenario.name))
            print(f"{scenario.name}: {path}", flush=True)


if __name__ == "__main__":
    main()
