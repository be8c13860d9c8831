from __future__ import annotations

from flott.connectors.bucket_assigners import BucketAssigner, BucketContext


def at(processing_time, timestamp=None):
    context = BucketContext()
    context.move_to(processing_time, timestamp)
    return context


def test_the_base_path_has_no_buckets():
    assert BucketAssigner.base_path_bucket_assigner().get_bucket_id("x", at(5)) == ""


def test_by_default_one_bucket_per_hour():
    assigner = BucketAssigner.date_time_bucket_assigner(timezone_id="UTC")
    hours = [assigner.get_bucket_id("x", at(time)) for time in (0, 3_599_999, 3_600_000, 5)]
    assert hours == ["1970-01-01--00", "1970-01-01--00", "1970-01-01--01", "1970-01-01--00"]


def test_a_pattern_with_milliseconds_is_not_rounded():
    assigner = BucketAssigner.date_time_bucket_assigner("ss-SSS", "UTC")
    assert [assigner.get_bucket_id("x", at(time)) for time in (1001, 1002)] == ["01-001", "01-002"]


def test_the_context_tells_both_times():
    context = at(7, 3)
    assert (context.current_processing_time(), context.timestamp()) == (7, 3)
    assert at(7).timestamp() is None
