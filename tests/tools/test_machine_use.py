"""What a command took. Each is measured in a process of its own: measuring makes that process adopt orphans."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

import machine_use
from machine_use import Use, machine_seconds, sampled_speed

TOOLS = Path(__file__).parents[2] / "tools"
SECOND_OF_CPU = "import time\nwhile time.process_time() < 1: pass"
MEASURE = """
import json, sys, machine_use
from dataclasses import asdict
from pathlib import Path

machine_use.PATIENCE = 300.0  # as long as it takes on a busy machine
machine_use.STAT = Path(sys.argv[2])
print(json.dumps(asdict(machine_use.measured([sys.executable, "-W", "ignore", "-c", sys.argv[1]], 0.005))))
"""


def measured(program, stat="/proc/stat"):
    command = [sys.executable, "-c", MEASURE, program, str(stat)]
    done = subprocess.run(command, cwd=TOOLS, capture_output=True, text=True, check=True)
    return Use(**json.loads(done.stdout))


def test_a_command_is_charged_with_the_cpu_time_of_all_its_processes():
    use = measured(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SECOND_OF_CPU!r}])")
    assert use.code == 0
    assert use.cpu >= 1
    assert use.wall >= 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands processes over to another parent")
def test_a_process_that_outlives_the_command_is_the_commands_too():
    assert measured(f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SECOND_OF_CPU!r}])").cpu >= 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands processes over to another parent")
def test_a_process_whose_parent_ended_does_not_stay_as_a_zombie():
    orphan = "int(subprocess.check_output(['sh', '-c', 'true & echo $!']))"
    wait = "while Path(f'/proc/{pid}').exists(): os.sched_yield()"
    assert measured(f"import os, subprocess; from pathlib import Path; pid = {orphan}\n{wait}").code == 0


def test_the_exit_code_is_handed_on():
    assert measured("raise SystemExit(3)").code == 3


def test_without_counters_of_the_machine_nothing_was_taken_by_others(tmp_path):
    assert measured("", tmp_path / "none").others == 0


def test_steal_and_cpu_time_of_all_processes_are_read(tmp_path, monkeypatch):
    stat = tmp_path / "stat"
    monkeypatch.setattr(machine_use, "STAT", stat)
    monkeypatch.setattr(machine_use.os, "sysconf", lambda name: 100)
    #                       user nice system idle iowait irq softirq steal guest guest_nice
    stat.write_text("cpu  1000  100  200  5000   70   10      20   400     0          0\ncpu0 1 1\n")
    assert machine_seconds() == pytest.approx((13.3, 4.0))


def test_the_speed_of_the_machine_is_sampled_in_the_background(monkeypatch):
    monkeypatch.setattr(machine_use, "PAUSE", 0.001)
    seen = machine_use.threading.Event()

    def loop():
        seen.set()
        return 0.005

    with sampled_speed() as samples:
        first = len(samples)
        monkeypatch.setattr(machine_use, "loop_seconds", loop)
        assert seen.wait(PATIENCE)
    assert first >= 1
    assert len(samples) > first
    assert all(sample > 0 for sample in samples)
