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
    peak_python_mb: float
    """Most memory that all Python processes of the run held together."""
    result: dict


def run_program(program: str, engine: str, *arguments: str, timeout: float = 1800) -> Run:
    """Run a program of benchmarks/programs on an engine and read the JSON that it prints last."""
    python = Path(sys.executable) if engine == "flott" else pyflink_python()
    environment = pyflink_variables(python)
    if engine == "flott":
        environment["PYTHONPATH"] = str(ROOT / "src")
    command = [str(python), str(ROOT / "benchmarks" / "programs" / program), "--engine", engine, *arguments]
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    peak = PeakMemory(process.pid)
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        peak.stop()
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{err[-3000:]}")
    result = json.loads(out.strip().splitlines()[-1])
    return Run(time.monotonic() - started, result["net_seconds"], peak.most / 2**20, result)


class PeakMemory:
    """Watches what the Python processes below one process hold."""

    def __init__(self, pid: int) -> None:
        self.most = 0
        self._pid = pid
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stopped.wait(0.5):
            self.most = max(self.most, python_memory(self._pid))

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()


def python_memory(pid: int) -> int:
    """Return the bytes that only the Python processes below ``pid`` hold (USS, so that shared pages count once)."""
    total = 0
    try:
        processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for process in processes:
        try:
            if "python" in process.name():
                total += process.memory_full_info().uss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return total
