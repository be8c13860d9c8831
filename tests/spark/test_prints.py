"""What functions print in Spark's workers is seen by whoever runs the job."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.spark

PROGRAM = textwrap.dedent(
    """
    import logging
    from flott.common import Configuration
    from flott.datastream import StreamExecutionEnvironment

    configuration = Configuration().set_string("flott.spark.master", "local[1]")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(1)

    def tell(number):
        print("seen", number)
        logging.getLogger("mine").warning("and warned of %s", number)
        return number

    env.from_collection([1, 2]).map(tell).filter(lambda _: False).print()
    env.execute()
    """
)


def loud(number):
    print("seen", number)  # noqa: T201 - what is tested
    if number == 1:
        print("many\n" * 2_000, end="")  # noqa: T201
    return number


def test_they_are_brought_to_the_driver_where_that_is_asked_for(make_env, capsys):
    env = make_env(flott_log_prints="true")
    env.set_parallelism(1)
    env.from_collection([3, 1]).map(loud).name("loud").print()
    env.execute("prints")
    told = capsys.readouterr().err.splitlines()
    parted = [line.partition(" (1/1)> ") for line in told]
    mine = [text for who, _, text in parted if "loud" in who]
    assert mine[:2] == ["seen 3", "seen 1"]
    assert mine.count("many") == 998
    assert mine[-1] == "… more than 1000 lines; the others are in the worker's log"


@pytest.mark.slow
def test_in_local_mode_they_come_to_stderr_line_by_line(tmp_path):
    program = tmp_path / "job.py"
    program.write_text(PROGRAM)
    sources = str(Path(__file__).parents[2] / "src")
    ran = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True, text=True, check=True, timeout=600, env={**os.environ, "PYTHONPATH": sources},
    )  # fmt: skip
    assert ran.stdout == ""
    assert sorted(ran.stderr.splitlines()) == ["and warned of 1", "and warned of 2", "seen 1", "seen 2"]
