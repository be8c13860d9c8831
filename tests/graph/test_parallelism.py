from __future__ import annotations

import pytest

from flott.errors import GraphError
from flott.graph.parallelism import default_max_parallelism, resolve_parallelism


def resolve(build, **settings):
    step_settings = {key: settings.pop(key) for key in list(settings) if key.startswith("step_")}
    step = build.source("score", **{key.removeprefix("step_"): value for key, value in step_settings.items()})
    return resolve_parallelism(step, build.program(**settings))


# What KeyGroupRangeAssignment.computeDefaultMaxParallelism of Flink 2.3 returns.
FLINK = {
    1: 128, 2: 128, 42: 128, 64: 128, 84: 128, 85: 128, 86: 256, 100: 256, 128: 256, 170: 256, 171: 256, 200: 512,
    341: 512, 342: 1024, 20000: 32768, 21845: 32768, 21846: 32768, 32768: 32768,
}  # fmt: skip


@pytest.mark.parametrize(("parallelism", "expected"), FLINK.items())
def test_default_max_parallelism_is_flinks(parallelism, expected):
    assert default_max_parallelism(parallelism) == expected


def test_own_settings_come_before_the_programs_and_those_before_the_default(build):
    assert resolve(build, parallelism=3) == (3, 128)
    assert resolve(build, parallelism=3, max_parallelism=64) == (3, 64)
    assert resolve(build, step_parallelism=5, step_max_parallelism=16, max_parallelism=64) == (5, 16)


def test_an_operator_for_the_whole_stream_runs_alone_whatever_the_program_says(build):
    assert resolve(build, step_parallelism_fixed=True, parallelism=4, max_parallelism=64) == (1, 1)
    assert resolve(build, step_parallelism_fixed=True, step_parallelism=1, step_max_parallelism=7) == (1, 7)


@pytest.mark.parametrize("edge", [1, 32768])
def test_the_limits_of_max_parallelism_are_allowed(build, edge):
    assert resolve(build, parallelism=1, max_parallelism=edge) == (1, edge)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step_parallelism": 0}, "parallelism is 0; it must be 1 or more, as in set_parallelism"),
        ({"parallelism": -1}, "the environment's parallelism, which is -1; it must be 1 or more, as in env."),
        ({"step_max_parallelism": 0}, "max parallelism is 0; it must be between 1 and 32768"),
        ({"step_max_parallelism": 32769}, "max parallelism is 32769; it must be between 1 and 32768"),
        ({"max_parallelism": 32769}, "the environment's max parallelism, which is 32769; it must be between"),
        (
            {"step_parallelism": 4, "step_max_parallelism": 3},
            r"parallelism 4 is above max parallelism 3; .*set_parallelism\(3\) or .* set_max_parallelism\(4\)$",
        ),
        ({"parallelism": 4, "max_parallelism": 3}, "parallelism 4 is above max parallelism 3"),
        ({"parallelism": 40000}, "above max parallelism 32768; .*32768 is the most there can be$"),
        ({"step_parallelism": 2, "step_parallelism_fixed": True}, "runs with parallelism 1 only; .*key_by first"),
    ],
)
def test_wrong_settings_name_the_operator_and_the_right_form(build, settings, message):
    with pytest.raises(GraphError, match=r"^operator 'score' \(uid=s\): .*" + message):
        resolve(build, step_uid="s", **settings)
