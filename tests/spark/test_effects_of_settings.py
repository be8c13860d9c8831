"""What the settings of Spark and of the workers change, without starting Spark: two values, two results."""

from __future__ import annotations

import os
import sys

import pytest

from flott.common import Configuration
from flott.datastream.stream_execution_environment.targets import submitter
from flott.errors import ConfigurationError
from flott.runtime.state.policy import StatePolicy
from flott.spark.runner import prints_are_far
from flott.spark.session import own_settings, python_of_workers
from flott.spark.submit import places

CLUSTER = {"flott.spark.master": "spark://host:7077"}


def of_spark(key):
    return lambda settings: own_settings(settings, submitted=False).get(key)


def log_level(settings):
    return "flott.spark.log.level=warn" in own_settings(settings, submitted=False)["spark.driver.extraJavaOptions"]


def place(index):
    return lambda settings: places(settings, "job", "local[2]")[index].rpartition("/job/")[0]


CASES = {
    "flott.spark.master": ({}, of_spark("spark.master"), ("local[2]", "local[2,4]"), ("yarn", "yarn")),
    "flott.spark.log-level": ({}, log_level, ("off", False), ("warn", True)),
    "flott.execution.target": (
        {},
        lambda settings: submitter(settings).__module__,
        ("in-process", "flott.testing.cluster"),
        ("spark", "flott.spark.submit"),
    ),
    "flott.storage.dir": (
        {},
        lambda settings: places(settings, "job", "yarn")[0],
        ("/one", "/one/job"),
        ("/two", "/two/job"),
    ),
    "flott.state.dir": ({}, place(1), ("/one", "/one"), ("/two", "/two")),
    "flott.state.locality": (CLUSTER, of_spark("spark.locality.wait"), ("auto", "0"), ("false", None)),
    "flott.state.cache-entries": (
        {},
        lambda settings: StatePolicy.of(settings).cache.exceeded(500, 1),
        ("400", True),
        ("600", False),
    ),
    "flott.state.cache-memory": (
        {},
        lambda settings: StatePolicy.of(settings).cache.exceeded(500, 1_000),
        ("1 kb", True),
        ("1 mb", False),
    ),
    "flott.log.prints": ({}, lambda settings: prints_are_far(None, settings), ("true", True), ("false", False)),
}


@pytest.mark.parametrize("key", CASES)
def test_two_values_two_results(key):
    around, look, *values = CASES[key]
    seen = [look(Configuration.from_dict({**around, key: value})) for value, _ in values]
    assert seen == [result for _, result in values]
    assert seen[0] != seen[1]


def test_the_python_of_workers_is_chosen_when_spark_starts(monkeypatch):
    monkeypatch.setenv("PYSPARK_PYTHON", "before")
    for asked in ("sh", sys.executable):
        with python_of_workers(Configuration.from_dict({"python.executable": asked})):
            assert os.environ["PYSPARK_PYTHON"] == asked
        assert os.environ["PYSPARK_PYTHON"] == "before"
    missing = {"python.executable": "env.zip/bin/python"}
    with (
        pytest.raises(ConfigurationError, match=r"'env\.zip/bin/python', which is not on this machine"),
        python_of_workers(Configuration.from_dict(missing)),
    ):
        pass
    with python_of_workers(Configuration.from_dict({**missing, **CLUSTER})):
        assert os.environ["PYSPARK_PYTHON"] == "env.zip/bin/python"
