"""The examples as modules, and an environment without Spark for their streams."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(monkeypatch):
    """Imports an example, or a module beside it, by its name."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


@pytest.fixture
def data(example):
    """The generators."""
    return example("sample_data")


@pytest.fixture
def env(monkeypatch):
    target = Configuration().set_string("flott.execution.target", "in-process")
    monkeypatch.setattr(StreamExecutionEnvironment, "context_configuration", target)
    environment = StreamExecutionEnvironment.get_execution_environment()
    environment.set_parallelism(2)
    return environment


def collected(stream):
    with stream.execute_and_collect() as results:
        return list(results)


@pytest.fixture
def collect():
    """Runs a stream, and returns its records."""
    return collected
