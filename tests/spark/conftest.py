"""One embedded Spark for all tests of a process: starting it takes seconds, an epoch much less."""

from __future__ import annotations

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

pytestmark = pytest.mark.spark


def environment(**options):
    configuration = Configuration()
    configuration.set_string("flott.spark.master", "local[2]")
    for key, value in options.items():
        configuration.set_string(key.replace("__", "-").replace("_", "."), str(value))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    return env


@pytest.fixture
def env():
    return environment()


@pytest.fixture
def make_env():
    return environment
