"""The demo as a user runs it: it draws its table, stops by itself, and on Ctrl-C, without a stack trace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE

pytestmark = [pytest.mark.spark, pytest.mark.slow]

DEMO = Path(__file__).parent.parent.parent / "examples" / "orders_demo.py"


def start(*arguments):
    command = [sys.executable, str(DEMO), "--master", "local[2]", *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def test_it_stops_by_itself():
    demo = start("--seconds", "0")
    out, _ = demo.communicate(timeout=PATIENCE)
    assert demo.returncode == 0, out
    assert "Berlin" in out
    assert "windows closed. That's the demo" in out
    assert "Traceback" not in out


def test_ctrl_c_stops_it_without_a_stack_trace():
    demo = start("--seconds", "600")
    out = ""
    while "Quebec" not in out:
        line = demo.stdout.readline()
        assert line, out
        out += line
    os.killpg(demo.pid, signal.SIGINT)  # what a terminal does: everybody in the foreground gets it
    rest, _ = demo.communicate(timeout=PATIENCE)
    assert demo.returncode == 0
    assert rest.strip().endswith("Stopped.")
    assert "Traceback" not in rest
    assert "Error" not in rest
