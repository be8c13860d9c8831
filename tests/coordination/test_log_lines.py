"""One line per event, as text or as JSON, with the job and the epoch."""

from __future__ import annotations

import json
import logging
import re

import pytest
from tests.waiting import PATIENCE

from flott.common import Configuration
from flott.coordination.log_lines import JsonLines, TextLines
from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.errors import FlottError
from flott.testing.cluster import submit


@pytest.fixture
def restored():
    root = logging.getLogger("flott")
    before = root.level, root.propagate, list(root.handlers)
    yield
    for handler in root.handlers:
        if handler not in before[2]:
            handler.close()
    root.level, root.propagate, root.handlers = before[0], before[1], before[2]
    root.manager._clear_cache()


class Fails(MapFunction):
    def map(self, value):
        message = "no\nsuch city"
        raise ValueError(message)


def logged(path, form, function=None, level="INFO"):
    settings = {"flott.log.format": form, "flott.log.level": level, "flott.log.file": str(path)}
    configuration = Configuration.from_dict(settings)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    numbers = env.from_sequence(1, 10)
    (numbers if function is None else numbers.map(function)).print()
    client = submit(env.program("orders"), configuration)
    try:
        client.get_job_execution_result().result(PATIENCE)
    except FlottError:
        assert function is not None
    return client, path.read_text().splitlines()


@pytest.mark.job
def test_json_has_job_and_epoch(tmp_path, restored):
    client, lines = logged(tmp_path / "new" / "flott.jsonl", "json", level="DEBUG")
    events = [json.loads(line) for line in lines]
    assert events[0]["message"] == f"job 'orders' ({client.get_job_id()}) runs"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", events[0]["time"])
    epoch = next(event for event in events if event["message"].startswith("epoch 1: "))
    assert (epoch["job_id"], epoch["job_name"], epoch["epoch"]) == (str(client.get_job_id()), "orders", 1)
    assert (epoch["level"], epoch["logger"]) == ("DEBUG", "flott.job")


@pytest.mark.job
def test_an_error_of_many_lines_is_one_line_of_text(tmp_path, restored):
    client, lines = logged(tmp_path / "flott.log", "text", Fails())
    assert all(re.match(r"\d{4}-\d\d-\d\dT[\d:.]+Z (INFO|WARNING)", line) for line in lines)
    assert f" [orders {str(client.get_job_id())[:8]} epoch 1]: job 'orders' failed" in lines[-1]


@pytest.mark.job
def test_asked_again_it_logs_as_was_asked_last(tmp_path, restored):
    logged(tmp_path / "first", "json")
    first = (tmp_path / "first").read_text()
    _, lines = logged(tmp_path / "second", "text")
    assert (tmp_path / "first").read_text() == first
    assert len(lines) == 2


def test_traces_are_kept():
    error = ValueError("bad")
    record = logging.LogRecord("flott", logging.ERROR, "", 0, "it %s", ("failed",), (type(error), error, None))
    assert json.loads(JsonLines().format(record))["trace"] == "ValueError: bad"
    assert TextLines().format(record).endswith("ERROR   flott: it failed | ValueError: bad")
