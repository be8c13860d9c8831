from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from flott.common import Configuration, Duration
from flott.common.config_types import render
from flott.common.memory_size import MemorySize
from flott.common.option_effects import Shown
from flott.common.options import (
    OPTION_GROUPS,
    CheckpointingOptions,
    ExecutionOptions,
    FlottOptions,
    PipelineOptions,
    all_options,
    options_of,
)
from flott.errors import ConfigurationError


def test_every_key_stands_once_and_is_described():
    options = all_options()
    keys = [key for option in options for key in option.all_keys()]
    assert len(keys) == len(set(keys))
    for option in options:
        assert re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)+", option.key)
        assert option.description.endswith(".")


def test_every_default_is_of_the_type_of_its_option():
    for option in all_options():
        if option.has_default_value():
            assert option.value_type.parse(render(option.default)) == option.default


def test_every_group_has_an_introduction_and_options():
    for group in OPTION_GROUPS:
        assert group.__doc__
        assert list(options_of(group))


# The defaults that Flink 2.3 and Flott promise.
@pytest.mark.parametrize(
    ("key", "default"),
    [
        ("parallelism.default", -1),
        ("pipeline.max-parallelism", -1),
        ("pipeline.name", None),
        ("pipeline.auto-watermark-interval", Duration.of_millis(200)),
        ("pipeline.operator-chaining.enabled", True),
        ("pipeline.global-job-parameters", None),
        ("execution.runtime-mode", "STREAMING"),
        ("execution.buffer-timeout.interval", Duration.of_millis(100)),
        ("execution.checkpointing.interval", None),
        ("execution.checkpointing.mode", "EXACTLY_ONCE"),
        ("execution.checkpointing.timeout", Duration.of_minutes(10)),
        ("execution.checkpointing.min-pause", Duration.of_millis(0)),
        ("execution.checkpointing.max-concurrent-checkpoints", 1),
        ("execution.checkpointing.tolerable-failed-checkpoints", 0),
        ("execution.checkpointing.dir", None),
        ("execution.checkpointing.storage", None),
        ("execution.checkpointing.num-retained", 1),
        ("execution.checkpointing.externalized-checkpoint-retention", "DELETE_ON_CANCELLATION"),
        ("restart-strategy.type", None),
        ("restart-strategy.fixed-delay.attempts", 1),
        ("restart-strategy.exponential-delay.backoff-multiplier", 1.5),
        ("state.backend.type", "hashmap"),
        ("python.fn-execution.bundle.size", 1000),
        ("python.execution-mode", "process"),
        ("flott.spark.master", "local[*]"),
        ("flott.state.dir", None),
        ("flott.epoch.target-duration", Duration.of_seconds(2)),
        ("flott.epoch.max-attempts", 3),
        ("flott.state.cache-entries", 200_000),
        ("flott.state.max-store-size", MemorySize.of_mebi_bytes(64 * 1024)),
    ],
)
def test_defaults(key, default):
    assert {option.key: option.default for option in all_options()}[key] == default


def test_former_keys_still_work():
    config = Configuration.from_dict(
        {
            "state.checkpoints.dir": "s3://bucket/checkpoints",
            "execution.buffer-timeout": "20 ms",
            "pipeline.operator-chaining": "false",
        }
    )
    assert config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY) == "s3://bucket/checkpoints"
    assert config.get(ExecutionOptions.BUFFER_TIMEOUT) == Duration.of_millis(20)
    assert config.get(PipelineOptions.OPERATOR_CHAINING) is False


def test_a_word_that_is_not_among_the_choices():
    config = Configuration().set_string("execution.runtime-mode", "turbo")
    with pytest.raises(ConfigurationError, match=r"'turbo'.*write one of STREAMING, BATCH, AUTOMATIC"):
        config.get(ExecutionOptions.RUNTIME_MODE)
    assert Configuration().set_string("flott.epoch.max-attempts", "5").get(FlottOptions.EPOCH_MAX_ATTEMPTS) == 5


ROOT = Path(__file__).parents[2]


@cache
def names_in(path):
    """Return the names of a file's tests, and its text."""
    text = (ROOT / path).read_text()
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}, text


@pytest.mark.parametrize("option", all_options(), ids=lambda option: option.key)
def test_every_option_declares_its_effect(option):
    assert option.effect is not None, f"{option.key}: say with_effect(test), accepted(reason) or refused(reason)"
    if not isinstance(option.effect, Shown):
        assert option.effect.reason
        return
    path, _, rest = option.effect.test.partition("::")
    name, _, case = rest.partition("[")
    names, text = names_in(path)
    assert name.startswith("test_")
    assert name in names, f"{option.effect.test} is not there"
    spelled = {form for key in option.all_keys() for form in (key, key.replace(".", "__").replace("-", "_"))}
    spelled |= {key.replace(".", "_").replace("-", "__") for key in option.all_keys()}
    words = (*spelled, *SETTERS.get(option.key, ()))
    assert any(word in text for word in words), f"{path} does not set {option.key}"
    if case:
        assert f'"{case.removesuffix("]")}"' in text, f"{name} has no case {case}"


SETTERS = {"python.files": ("add_python_file",)}
"""How tests set an option whose key they do not write."""
