from __future__ import annotations

import pytest

from flott.connectors.rolling_policies import PartFileInfo, RollingPolicy
from flott.errors import GraphError


def part(size=0, created=0, updated=0):
    return PartFileInfo("", creation_time=created, last_update_time=updated, size=size)


def test_the_default_policy_goes_by_size():
    policy = RollingPolicy.default_rolling_policy(part_size=100)
    assert not policy.should_roll_on_event(part(size=100), "x")
    assert policy.should_roll_on_event(part(size=101), "x")


def test_the_default_policy_goes_by_age_and_silence():
    policy = RollingPolicy.default_rolling_policy(rollover_interval=1000, inactivity_interval=100)
    assert not policy.should_roll_on_processing_time(part(created=0, updated=950), 999)
    assert policy.should_roll_on_processing_time(part(created=0, updated=950), 1000)
    assert not policy.should_roll_on_processing_time(part(created=0, updated=400), 499)
    assert policy.should_roll_on_processing_time(part(created=0, updated=400), 500)


def test_flinks_defaults():
    policy = RollingPolicy.default_rolling_policy()
    assert (policy.part_size, policy.rollover_interval, policy.inactivity_interval) == (134_217_728, 60_000, 60_000)


def test_on_checkpoint_never_rolls_before():
    policy = RollingPolicy.on_checkpoint_rolling_policy()
    assert not policy.should_roll_on_event(part(size=1 << 50), "x")
    assert not policy.should_roll_on_processing_time(part(), 1 << 50)


def test_zero_is_refused():
    with pytest.raises(GraphError, match="part_size is 0"):
        RollingPolicy.default_rolling_policy(part_size=0)
