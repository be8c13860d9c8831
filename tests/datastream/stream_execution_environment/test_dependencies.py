from __future__ import annotations

import sys

import pytest

from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment
from flott.errors import ConfigurationError, GraphError


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py", "req.txt", "env.zip", "more.zip"):
        (tmp_path / name).touch()
    (tmp_path / "cache").mkdir()
    return tmp_path


def option(env, key):
    return env.get_configuration().get_string(key, "")


def test_python_files_archives_requirements(env, here):
    env.add_python_file("a.py")
    env.add_python_file("b.py")
    env.set_python_requirements("req.txt", "cache")
    env.add_python_archive("env.zip")
    env.add_python_archive("more.zip", "more")
    env.set_python_executable("env.zip/bin/python")
    assert option(env, "python.files") == "b.py,a.py"
    assert option(env, "python.requirements") == "req.txt#cache"
    assert option(env, "python.archives") == "env.zip,more.zip#more"
    assert option(env, "python.executable") == "env.zip/bin/python"


def test_requirements_without_a_cache(env, here):
    env.set_python_requirements("req.txt")
    assert option(env, "python.requirements") == "req.txt"


def test_cached_files(env, here):
    env.register_cached_file("a.py", "first")
    env.register_cached_file("hdfs://host:9/b", "second", executable=True)
    assert env.get_cached_files() == {"first": "a.py", "second": "hdfs://host:9/b"}
    assert option(env, "pipeline.cached-files") == (
        "name:first,path:a.py;name:second,path:hdfs://host:9/b,executable:true"
    )
    with pytest.raises(GraphError, match="'first' already"):
        env.register_cached_file("b.py", "first")


@pytest.mark.parametrize("call", ["add_python_file", "set_python_requirements", "add_python_archive"])
def test_what_is_not_there_is_refused(env, here, call):
    with pytest.raises(GraphError, match=rf"{call}\(...\): there is no 'missing' here"):
        getattr(env, call)("missing")


def test_remote_paths_are_left_to_the_workers(env):
    env.add_python_file("s3://bucket/a.py")
    assert option(env, "python.files") == "s3://bucket/a.py"


@pytest.mark.parametrize("call", ["add_jars", "add_classpaths"])
def test_jars_are_not_needed(env, call):
    with pytest.warns(UserWarning, match="Flott needs no jars"):
        getattr(env, call)("file:///kafka.jar")
    getattr(env, call)()
    assert "file:///kafka.jar" in option(env, f"pipeline.{call.removeprefix('add_')}")


@pytest.fixture
def restored_path(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("in_process_"):
            del sys.modules[name]


@pytest.mark.usefixtures("restored_path")
def test_in_process_functions_import_what_is_sent_along(tmp_path):
    (tmp_path / "module").mkdir()
    (tmp_path / "module" / "in_process_module.py").write_text("A = 1\n")
    (tmp_path / "in_process_package").mkdir()
    (tmp_path / "in_process_package" / "__init__.py").write_text("B = 2\n")
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "in_process_path.py").write_text("C = 3\n")
    env = in_process(**{"python.pythonpath": str(tmp_path / "path")})
    env.add_python_file(str(tmp_path / "module" / "in_process_module.py"))
    env.add_python_file(str(tmp_path / "in_process_package"))

    def total(n):
        from in_process_module import A
        from in_process_package import B
        from in_process_path import C

        return n + A + B + C

    assert list(env.from_collection([10]).map(total).execute_and_collect()) == [16]


@pytest.mark.parametrize(("key", "value"), [("python.archives", "env.zip"), ("python.executable", "/no/such/python")])
def test_what_only_workers_could_do_is_refused_in_process(key, value):
    env = in_process(**{key: value})
    env.from_collection([1]).print()
    with pytest.raises(ConfigurationError, match=rf"option '{key}' can't be '{value}' in-process"):
        env.execute()


def test_in_process_the_programs_own_python_may_be_named():
    env = in_process(**{"python.executable": sys.executable})
    assert list(env.from_collection([1]).execute_and_collect()) == [1]


def in_process(**settings):
    configuration = Configuration.from_dict({"flott.execution.target": "in-process", **settings})
    return StreamExecutionEnvironment.get_execution_environment(configuration)
