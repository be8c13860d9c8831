"""What the log says of settings that change nothing, and which are refused."""

from __future__ import annotations

import logging

import pytest

from flott.common import Configuration
from flott.coordination.check_settings import check_settings
from flott.datastream import StreamExecutionEnvironment
from flott.errors import ConfigurationError

PYFLINK = {"python.fn-execution.bundle.size": "10", "pipeline.force-kryo": "true"}


def lines(caplog, **settings):
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="flott"):
        check_settings(Configuration.from_dict(settings))
    return [(record.levelname, record.getMessage()) for record in caplog.records]


def test_settings_with_an_effect_are_not_mentioned(caplog):
    settings = {"parallelism.default": "2", "my.own": "x", "spark.executor.memory": "2g"}
    settings |= {"pipeline.global-job-parameters.a": "1", "state.checkpoints.dir": "here"}
    assert lines(caplog, **settings) == []


def test_each_setting_without_effect_has_its_reason(caplog):
    assert lines(caplog, **PYFLINK) == [
        ("WARNING", "option 'pipeline.force-kryo' has no effect: Flott does not use Kryo."),
        (
            "WARNING",
            "option 'python.fn-execution.bundle.size' has no effect: An epoch is handed to Python in one piece.",
        ),
    ]


def test_a_default_that_is_set_is_no_change(caplog):
    settings = {"pipeline.force-kryo": "false", "python.fn-execution.bundle.size": "1000"}
    assert lines(caplog, **settings, **{"execution.checkpointing.create-subdir": "true"}) == []


def test_a_program_for_pyflink_gets_one_line(caplog):
    text = "accepted from PyFlink, without effect: pipeline.force-kryo, python.fn-execution.bundle.size"
    assert lines(caplog, **PYFLINK, **{"flott.pyflink-imports": "true"}) == [("INFO", text)]
    assert len(lines(caplog, **PYFLINK, **{"flott.pyflink-imports": "false"})) == len(PYFLINK)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("flott.epoch.max-attempt", "; did you mean 'flott.epoch.max-attempts'?"),
        ("execution.checkpointing.intervall", "; did you mean 'execution.checkpointing.interval'?"),
        ("table.exec.sink.not-null-enforce", "; did you mean 'table.exec.sink.not-null-enforcer'?"),
        ("restart-strategy.fixed-delay.attempt", "; did you mean 'restart-strategy.fixed-delay.attempts'?"),
        ("table.optimizer.join-reorder-enabled", ""),
    ],
)
def test_unknown_keys_of_our_own_families(caplog, key, hint):
    assert lines(caplog, **{key: "1"}) == [("WARNING", f"option '{key}' is unknown and has no effect{hint}")]


@pytest.mark.parametrize(
    "key",
    ["execution.checkpointing.create-subdir", "execution.checkpointing.checkpoints-after-tasks-finish.enabled"],
)
def test_what_can_not_be_followed_is_refused(key):
    with pytest.raises(ConfigurationError, match=r"option 'execution\.checkpointing\.[a-z-]+' can't be 'false': "):
        check_settings(Configuration.from_dict({key: "false"}))


def test_it_is_looked_at_before_a_job_starts(caplog):
    settings = {"flott.execution.target": "in-process", "execution.checkpointing.create-subdir": "false"}
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(settings))
    env.from_collection([1]).print()
    with pytest.raises(ConfigurationError, match="finds its job by the directory"):
        env.execute()


@pytest.mark.parametrize("call", ["set_python_requirements", "register_cached_file"])
def test_the_log_names_calls_without_effect(caplog, tmp_path, call):
    (tmp_path / "file").write_text("numpy")
    settings = Configuration.from_dict({"flott.execution.target": "in-process"})
    env = StreamExecutionEnvironment.get_execution_environment(settings)
    arguments = ("name",) if call == "register_cached_file" else ()
    getattr(env, call)(str(tmp_path / "file"), *arguments)
    env.from_collection([1]).print()
    env.execute()
    [line] = [record.getMessage() for record in caplog.records if "has no effect" in record.getMessage()]
    assert line.startswith(("option 'python.requirements'", "option 'pipeline.cached-files'"))


def test_what_was_reported_for_a_command_line_is_not_logged_again(caplog, monkeypatch):
    assert lines(caplog, **{"rest.bind-prt": "1"})
    monkeypatch.setattr("flott.coordination.check_settings.reported", {"rest.bind-prt"})
    assert lines(caplog, **{"rest.bind-prt": "1"}) == []
