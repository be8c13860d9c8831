"""The planner plans any statement, or refuses it with an error of its own: random statements of every form of query."""

from __future__ import annotations

import os
import random

import pytest
from tests.table.random.statements import TABLES, Statements

from flott.common import Configuration
from flott.errors import FlottError
from flott.table import EnvironmentSettings, TableEnvironment
from flott.table.errors import PlannerError

pytestmark = pytest.mark.fuzzer

FIRST, COUNT = (int(one) for one in os.environ.get("FLOTT_STATEMENTS", "0,4000").split(","))
CHUNK = 250
LEAST_PLANNED = 0.55
"""The share of statements that are planned to the end; the others are refused on the way."""


@pytest.fixture(scope="module", params=["streaming", "batch"])
def t_env(request):
    config = Configuration().set_string("flott.execution.target", "in-process")
    settings = EnvironmentSettings.new_instance().with_configuration(config)
    made = TableEnvironment.create((settings.in_batch_mode() if request.param == "batch" else settings).build())
    for statement in TABLES:
        made.execute_sql(statement)
    return made


def problem(t_env, text):
    """What is wrong with how a statement is planned, or None; and whether it was."""
    try:
        t_env.explain_sql(text)
    except PlannerError as error:
        return f"{text}\n  {error}", False
    except FlottError:
        return None, False
    except Exception as error:  # noqa: BLE001 - the failure that is looked for
        return f"{text}\n  {type(error).__name__}: {error}", False
    return None, True


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, CHUNK))
def test_statements_are_planned_or_refused(t_env, first):
    made = [problem(t_env, Statements(random.Random(seed)).statement()) for seed in range(first, first + CHUNK)]
    wrong = [found for found, _ in made if found is not None]
    assert not wrong, f"{len(wrong)} problems\n" + "\n".join(wrong)
    assert sum(planned for _, planned in made) >= LEAST_PLANNED * CHUNK
