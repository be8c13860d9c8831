"""What settings change in the processes in which functions run: their path, directory, Python and log levels."""

from __future__ import annotations

import logging
import shutil
import sys
from pathlib import Path

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.errors import ConfigurationError
from flott.spark import worker_environment
from flott.spark.worker_environment import WorkerEnvironment

pytestmark = pytest.mark.spark


def collect(stream):
    return sorted(stream.execute_and_collect())


@pytest.fixture
def archive(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "prices.txt").write_text("7")
    return shutil.make_archive(str(tmp_path / "data"), "zip", tmp_path / "data")


def read(path):
    try:
        with open(path) as file:  # noqa: PTH123 - as functions do it
            return file.read()
    except FileNotFoundError:
        return "not there"


def test_archives_are_unpacked_where_functions_run(make_env, archive):
    def seen(*target):
        env = make_env()
        if target:
            env.add_python_archive(archive, *target[0])
        return collect(env.from_collection(["data.zip/prices.txt", "named/prices.txt"]).map(read))

    assert seen() == ["not there", "not there"]
    assert seen(()) == ["7", "not there"]
    assert seen(()) == ["7", "not there"], "the same archive can be sent along with the next job"
    assert seen(("named",)) == ["7", "7"], "an application of Spark keeps what was sent along"
    assert seen() == ["not there", "not there"], "the next job is where the program is"


def test_the_option_lists_archives(make_env, archive):
    env = make_env(python_archives=f"{archive}#listed")
    assert collect(env.from_collection(["listed/prices.txt"]).map(read)) == ["7"]


def test_directories_are_put_on_the_path(make_env, tmp_path):
    (tmp_path / "on_the_path_of_workers.py").write_text("ANSWER = 42\n")

    def answer(_):
        try:
            from on_the_path_of_workers import ANSWER
        except ImportError:
            return 0
        return ANSWER

    assert collect(make_env(python_pythonpath="/no/such").from_collection([1]).map(answer)) == [0]
    path = f"/no/such:{tmp_path}"
    assert collect(make_env(python_pythonpath=path).from_collection([1]).map(answer)) == [42]


def test_functions_log_from_the_level_on_that_is_set(make_env):
    def levels(_):
        names = ("", "loud", "loud.below", "other")
        return ",".join(str(logging.getLogger(name).getEffectiveLevel()) for name in names)

    default, override = "python.logging.default.level", "python.logging.level.overrides"

    def seen(**settings):
        configuration = Configuration.from_dict({"flott.spark.master": "local[2]", "parallelism.default": "1"})
        for key, value in settings.items():
            configuration.set_string(key, value)
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        return collect(env.from_collection([1]).map(levels))

    assert seen() == ["30,30,30,30"]
    assert seen(**{default: "INFO"}) == ["20,20,20,20"]
    assert seen(**{default: "ERROR", override: "loud:DEBUG"}) == ["40,10,10,40"]
    assert seen(**{override: "loud:INFO"}) == ["30,20,20,30"]
    with pytest.raises(ConfigurationError, match=r"'python\.logging\.default\.level' is 'loud'; give DEBUG, INFO"):
        seen(**{default: "loud"})


def test_another_python_than_sparks_is_refused(make_env):
    env = make_env()
    env.set_python_executable(sys.executable)
    assert collect(env.from_collection([1])) == [1]
    env = make_env(python_executable="/no/such/python")
    env.from_collection([1]).print()
    with pytest.raises(ConfigurationError, match=r"option 'python\.executable' is '/no/such/python'"):
        env.execute()


def test_a_process_is_as_it_was_after_the_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("flott.spark.worker_environment.SparkFiles.getRootDirectory", lambda: str(tmp_path.parent))
    monkeypatch.setattr(sys, "path", list(sys.path))
    logger = logging.getLogger("of.a.job")
    changed = Configuration.from_dict({"python.archives": "a.zip", "python.logging.level.overrides": "of.a.job:ERROR"})
    for _ in range(2):
        WorkerEnvironment.of(changed).enter()
        assert (str(Path.cwd()), logger.level) == (str(tmp_path.parent), logging.ERROR)
    WorkerEnvironment().enter()
    assert (str(Path.cwd()), logger.level) == (str(tmp_path), logging.NOTSET)
    assert (worker_environment._home, worker_environment._before) == ([], {})
