from __future__ import annotations

import pytest

from flott.common import Types, WatermarkStrategy
from flott.datastream import OutputSelector, OutputTag, ProcessFunction
from flott.errors import GraphError, JobExecutionError


def collected(stream):
    with stream.execute_and_collect() as results:
        return sorted(results)


def names(number):
    """Some numbers have two names, 5 has none."""
    found = []
    if number % 2 == 0:
        found.append("even")
    if number % 3 == 0:
        found.append("third")
    if number < 2:
        found.append("small")
    return found


class Names(OutputSelector):
    def open(self, runtime_context):
        self.names = names

    def select(self, value):
        return self.names(value)


@pytest.fixture
def numbers(env):
    return env.from_sequence(1, 6)


@pytest.mark.parametrize("selector", [names, Names()])
@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        (("even",), [2, 4, 6]),
        (("third",), [3, 6]),
        (("even", "third"), [2, 3, 4, 6]),  # 6 has both names, and comes once
        (("third", "small"), [1, 3, 6]),
        (("nobody",), []),
    ],
)
def test_a_selection_has_the_records_of_its_names(numbers, selector, selected, expected):
    assert collected(numbers.split(selector).select(*selected)) == expected


def test_a_record_goes_to_every_selection_it_belongs_to(numbers):
    split = numbers.split(names)
    even, third, again = split.select("even"), split.select("third"), split.select("even")
    both = even.map(lambda n: ("even", n)).union(third.map(lambda n: ("third", n)), again.map(lambda n: ("again", n)))
    assert collected(both) == [
        ("again", 2), ("again", 4), ("again", 6), ("even", 2), ("even", 4), ("even", 6), ("third", 3), ("third", 6),
    ]  # fmt: skip


def test_without_select_it_is_the_whole_stream(numbers):
    split = numbers.split(names)
    assert split.get_type() == split.select("even").get_type() == numbers.get_type()
    assert collected(split.map(lambda n: n * 10)) == [10, 20, 30, 40, 50, 60]


def test_a_text_is_one_name_and_nothing_is_no_name(numbers):
    split = numbers.split(lambda n: "even" if n % 2 == 0 else None)
    assert collected(split.select("even", "e")) == [2, 4, 6]


def test_a_selector_may_yield_names(numbers):
    def yielding(number):
        yield from names(number)

    split = numbers.split(yielding)
    assert collected(split.select("even").union(split.select("third"))) == [2, 3, 4, 6, 6]


def test_a_keyed_stream_and_a_selection_can_be_split(numbers):
    first = numbers.key_by(lambda n: n % 2).split(names).select("even")
    assert collected(first.split(lambda n: "large" if n > 2 else "small").select("large")) == [4, 6]


def test_timestamps_stay(env):
    class Stamp(ProcessFunction):
        def process_element(self, value, ctx):
            yield value, ctx.timestamp()

    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(lambda n, _: n * 1000)
    stream = env.from_collection([1, 2], Types.INT()).assign_timestamps_and_watermarks(strategy)
    assert collected(stream.split(names).select("even", "small").process(Stamp())) == [(1, 1000), (2, 2000)]


def test_tuples_that_look_like_side_outputs_are_records(env):
    OutputTag("late")  # From here on, pairs are looked at.
    pairs = env.from_collection([("even", 1), ("odd", 2)])
    assert collected(pairs.split(lambda pair: [pair[0]]).select("odd")) == [("odd", 2)]


def test_what_does_not_fit_is_refused(numbers):
    with pytest.raises(GraphError, match=r"split\(\.\.\.\): .*OutputSelector object or a callable"):
        numbers.split("even")
    with pytest.raises(GraphError, match=r"select\(\): give the names"):
        numbers.split(names).select()
    with pytest.raises(GraphError, match="give the names"):
        numbers.split(names).select(["even"])


def test_a_selector_that_fails_names_the_record(env):
    with pytest.raises(JobExecutionError, match=r"'Split'.*failed on record 0"):
        collected(env.from_collection([0]).split(lambda n: [str(1 / n)]).select("1.0"))
