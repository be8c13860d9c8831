from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from flott.cli.main import main
from flott.datastream._steps import Steps

BEGIN = """
from flott.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
"""
HERE = ("-q", "-D", "flott.execution.target=in-process")


@pytest.fixture(autouse=True)
def no_program_of_another_test():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Steps, "unexecuted", set())
        yield


def run(tmp_path, text, *options):
    path = tmp_path / "job.py"
    path.write_text(text)
    return CliRunner().invoke(main, ["run", *HERE, *options, str(path)])


def test_a_program_without_execute_gets_one_line(tmp_path):
    result = run(tmp_path, f"{BEGIN}env.from_collection([1]).print()\n")
    assert result.exit_code == 0
    assert result.output == (
        "job.py ended without running anything: it builds a job, but never calls env.execute(). "
        "Add it as the last line.\n"
    )


def test_a_program_that_executes_gets_no_such_line(tmp_path):
    result = run(tmp_path, f"{BEGIN}env.from_collection([1]).print()\nenv.execute('one')\n")
    assert (result.exit_code, result.output) == (0, "1\n")


def test_an_error_of_the_program_shows_its_own_frames_only(tmp_path):
    result = run(tmp_path, "def go():\n    return {}['missing']\ngo()\n")
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[:2] == ["Error: the program failed", "Traceback (most recent call last):"]
    assert lines[-1] == "KeyError: 'missing'"
    assert [line.split('"')[1] for line in lines if line.startswith("  File")] == [str(tmp_path / "job.py")] * 2


def test_frames_of_flott_are_left_out_of_the_causes_too(tmp_path):
    result = run(tmp_path, "try:\n    1 / 0\nexcept ArithmeticError as error:\n    raise ValueError from error\n")
    assert "ZeroDivisionError: division by zero" in result.output
    assert "runpy" not in result.output
    assert "flott/cli" not in result.output


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (f"{BEGIN}env.from_colection([1])\n", "Did you mean 'from_collection'?"),
        ("from flott.datastream.window import TumblingEventTimeWindow\n", "Did you mean 'TumblingEventTimeWindows'?"),
        ("import flott.datastrem\n", "Did you mean 'datastream'?"),
        ("import flott\nflott.tabel\n", "Did you mean 'table'?"),
        ("[].apend(1)\n", None),
    ],
)
def test_a_misspelled_name_of_flott_gets_a_suggestion(tmp_path, text, hint):
    result = run(tmp_path, text)
    assert result.exit_code == 1
    last = result.output.splitlines()[-1]
    assert last == hint if hint else "Did you mean" not in result.output


def test_a_syntax_error_is_the_users_line_only(tmp_path):
    result = run(tmp_path, "x = 1\ndef f(:\n")
    assert result.output.startswith(f'Error: the program failed\n  File "{tmp_path / "job.py"}", line 2\n')


def test_json_prints_one_object_for_each_job(tmp_path):
    result = run(
        tmp_path, f"{BEGIN}env.from_collection([1]).map(lambda n: 1 / 0).print()\nenv.execute('one')\n", "--json"
    )
    told = json.loads(result.stdout.splitlines()[-1])
    assert (told["name"], told["status"]) == ("one", "FAILED")
    assert "ZeroDivisionError" in told["error"]


def test_json_prints_the_error_of_a_program_without_a_job(tmp_path):
    result = run(tmp_path, "[].apend(1)\n", "--json")
    assert "has no attribute 'apend'" in json.loads(result.stdout.splitlines()[-1])["error"]
