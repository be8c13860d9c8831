"""The engines a benchmark compares, each in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

from pyflink_environment import ROOT, pyflink_python, pyflink_variables


@dataclass(frozen=True)
class Run:
    """What one run of a program took."""

    seconds: float
    net_seconds: float
    cpu_seconds: float
    """Processor time of all its processes, as last seen of each."""
    peak_python_mb: float
    """Most memory that all Python processes of the run held together."""
    peak_mb: float
    """The same with its other processes: Java's."""
    stolen: float
    """The part of the processors that other guests of the same host had in the meantime: a disturbed run shows."""
    result: dict


def run_program(program: str, engine: str, *arguments: str, timeout: float = 1800) -> Run:
    """Run a program of benchmarks/programs on an engine and read the JSON that it prints last."""
    python = pyflink_python() if engine == "pyflink" else Path(sys.executable)
    environment = pyflink_variables(python)
    if engine == "flott":
        environment["PYTHONPATH"] = str(ROOT / "src")
    command = [str(python), str(ROOT / "benchmarks" / "programs" / program), "--engine", engine, *arguments]
    started, before = time.monotonic(), stolen_seconds()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    watch = Watch(process.pid)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        for child in (*psutil.Process(process.pid).children(recursive=True), process):
            child.kill()
        raise
    finally:
        watch.stop()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{err[-3000:]}")
    result = json.loads(out.strip().splitlines()[-1])
    seconds = time.monotonic() - started
    cpu = sum(watch.cpu.values())
    stolen = (stolen_seconds() - before) / seconds / (psutil.cpu_count() or 1)
    return Run(seconds, result["net_seconds"], cpu, watch.most_python / 2**20, watch.most / 2**20, stolen, result)


def stolen_seconds() -> float:
    """Return the processor time that others had while this machine wanted it; 0 where nobody counts that."""
    return getattr(psutil.cpu_times(), "steal", 0.0)


class Watch:
    """Watches a process and those below it: what they hold, and the processor time they took."""

    def __init__(self, pid: int) -> None:
        self.most = self.most_python = 0
        self.python_curve: list[int] = []
        """What its Python processes held, twice a second."""
        self.cpu: dict[int, float] = {}
        self._pid = pid
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stopped.wait(0.5):
            self._look()

    def _look(self) -> None:
        python = other = 0
        try:
            processes = [psutil.Process(self._pid), *psutil.Process(self._pid).children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        for process in processes:
            try:
                times = process.cpu_times()
                self.cpu[process.pid] = times.user + times.system
                if "python" in process.name():
                    # What only it holds, so that shared pages count once.
                    python += process.memory_full_info().uss
                else:
                    other += process.memory_info().rss
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        self.python_curve.append(python)
        self.most, self.most_python = max(self.most, python + other), max(self.most_python, python)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()
