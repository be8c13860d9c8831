from __future__ import annotations

import pytest

from flott.errors import GraphError


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
