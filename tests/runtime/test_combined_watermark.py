from __future__ import annotations

from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.combined_watermark import CombinedWatermark


def test_the_minimum_counts_and_only_when_it_rises():
    both = CombinedWatermark((0, 1))
    assert both.update(0, 5) is None
    assert both.update(1, 3) == 3
    assert both.update(1, 3) is None
    assert both.update(1, 9) == 5


def test_an_idle_part_does_not_count():
    both = CombinedWatermark((0, 1))
    both.update(0, 5)
    assert both.update_status(1, active=False) == (5, None)
    assert both.update(0, 7) == 7


def test_all_idle_is_idle_and_says_so_once():
    both = CombinedWatermark((0, 1))
    both.update(0, 5)
    both.update(1, 2)
    assert both.update_status(0, active=False) == (None, None)
    assert both.update_status(1, active=False) == (None, False)
    assert both.update_status(1, active=False) == (None, None)
    assert both.update_status(0, active=True) == (5, True)


def test_a_part_that_returns_holds_time_back_at_once_but_never_turns_it_back():
    both = CombinedWatermark((0, 1))
    both.update(0, 5)
    both.update(1, 2)
    both.update_status(1, active=False)
    both.update_status(1, active=True)
    assert both.update(0, 9) is None
    assert both.watermark == 5
    assert both.update(1, 7) == 7


def test_a_watermark_makes_its_part_active():
    both = CombinedWatermark((0, 1))
    both.update_status(0, active=False)
    both.update_status(1, active=False)
    both.update(1, 4)
    assert not both.idle


def test_parts_come_and_go():
    splits = CombinedWatermark()
    assert splits.combine() is None
    splits.add("a")
    splits.add("b")
    splits.update("a", 8)
    assert splits.watermark == MIN_TIMESTAMP
    splits.remove("b")
    assert splits.combine() == 8


def test_state_can_be_carried_over():
    both = CombinedWatermark((0, 1))
    both.update(0, 5)
    both.update(1, 2)
    both.update_status(1, active=False)
    other = CombinedWatermark((0, 1))
    other.restore(both.snapshot())
    assert other.watermark == 5
    assert other.update(0, 6) == 6
