from __future__ import annotations

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment


@pytest.fixture
def env() -> StreamExecutionEnvironment:
    """An environment whose programs run in this process, with two subtasks an operator."""
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    environment = StreamExecutionEnvironment.get_execution_environment(configuration)
    return environment.set_parallelism(2)
