"""The stop button in a real kernel: the job ends, its last picture stays, and the next cell runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

import notebook_outputs

pytestmark = pytest.mark.job

SET_UP = """
from flott.common import WatermarkStrategy
from flott.datastream import StreamExecutionEnvironment
from flott.datastream.connectors.datagen import DataGeneratorSource, RateLimiterStrategy
from flott.notebook import show

env = StreamExecutionEnvironment.get_execution_environment()
endless = DataGeneratorSource(lambda index: index, None, RateLimiterStrategy.per_second(1_000))
numbers = env.from_source(endless, WatermarkStrategy.no_watermarks(), "numbers")
"""
LONGEST = 300


@pytest.fixture
def kernel(monkeypatch):
    source = str(Path(__file__).parents[2] / "src")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))
    manager, client = start_new_kernel(kernel_name="python3")
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def texts(client, code):
    """Run a cell, and yield what it shows, until it is done; an error fails the test."""
    request = client.execute(code)
    while True:
        message = client.get_iopub_msg(timeout=LONGEST)
        if message["parent_header"].get("msg_id") != request:
            continue
        kind, content = message["msg_type"], message["content"]
        assert kind != "error", content
        if kind == "status" and content["execution_state"] == "idle":
            return
        if "data" in content:
            yield content["data"]["text/plain"]


@pytest.mark.parametrize("in_process", [True, pytest.param(False, marks=[pytest.mark.spark, pytest.mark.slow])])
def test_an_interrupt_ends_the_job_and_the_kernel_goes_on(kernel, in_process):
    manager, client = kernel
    assert list(texts(client, (notebook_outputs.IN_PROCESS if in_process else "") + SET_UP)) == []
    interrupted, last = False, ""
    for last in texts(client, "show(numbers, name='numbers', rows=5, every=0.1)"):
        if "5 of" in last and not interrupted:
            assert last.startswith("numbers: running · epoch")
            manager.interrupt_kernel()
            interrupted = True
    assert last.startswith("numbers: stopped · epoch")
    assert "5 of" in last
    assert list(texts(client, "env.from_collection([1, 2]).execute_and_collect(limit=2)")) == ["[1, 2]"]
