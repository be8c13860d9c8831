from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from flott.table.errors import TableError

pytestmark = pytest.mark.job


def load(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


transcript = load("transcript")
CASES = dict(transcript.cases())
RUN = {name: case for name, case in CASES.items() if "error" not in case}
REFUSED = {name: case for name, case in CASES.items() if "error" in case}


@pytest.mark.parametrize("name", RUN)
def test_row_by_row(name, environment):
    options = RUN[name].get("options", {})
    transcript.check(environment(**options), RUN[name])


@pytest.mark.parametrize("name", RUN)
def test_parallel_and_in_large_batches(name, environment):
    case = RUN[name]
    if case.get("in_order"):
        pytest.skip("what is late depends on the order of rows")
    transcript.check(environment(parallelism=3, **case.get("options", {})), case, exact=False, batch_size=100)


def run(t_env, case):
    transcript.create_tables(t_env, case)
    t_env.execute_sql(case["query"]).collect().close()


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, environment):
    case = REFUSED[name]
    with pytest.raises(TableError) as caught:
        run(environment(**case.get("options", {})), case)
    assert " ".join(case["error"].split()) in " ".join(str(caught.value).split())
