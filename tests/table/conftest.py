"""Tables in this process."""

from __future__ import annotations

import pytest

from flott.common import Configuration
from flott.table import EnvironmentSettings, TableEnvironment


def table_environment(parallelism=1, target="in-process", **options):
    config = Configuration().set_string("flott.execution.target", target)
    config.set_string("parallelism.default", str(parallelism))
    for key, value in options.items():
        config.set_string(key.replace("__", ".").replace("_", "-"), value)
    return TableEnvironment.create(EnvironmentSettings.new_instance().with_configuration(config).build())


@pytest.fixture
def t_env():
    return table_environment()


@pytest.fixture
def environment():
    return table_environment
