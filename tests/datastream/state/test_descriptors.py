from __future__ import annotations

import pytest

from flott.common import Time, Types
from flott.datastream.functions import AggregateFunction, ReduceFunction
from flott.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)


class Sum(ReduceFunction):
    def reduce(self, value1, value2):
        return value1 + value2


class Count(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


def test_a_descriptor_knows_its_name_and_the_type_of_all_that_is_stored():
    assert ValueStateDescriptor("v", Types.LONG()).type_info == Types.LONG()
    assert ListStateDescriptor("l", Types.LONG()).type_info == Types.LIST(Types.LONG())
    assert MapStateDescriptor("m", Types.STRING(), Types.LONG()).type_info == Types.MAP(Types.STRING(), Types.LONG())
    assert ReducingStateDescriptor("r", Sum(), Types.LONG()).get_type() == Types.LONG()
    assert AggregatingStateDescriptor("a", Count(), Types.LONG()).get_name() == "a"


def test_without_a_type_anything_can_be_stored():
    assert ValueStateDescriptor("v").type_info == Types.PICKLED_BYTE_ARRAY()


@pytest.mark.parametrize("function", [Sum(), lambda a, b: a + b])
def test_reducing_takes_a_function_object_or_a_callable(function):
    assert ReducingStateDescriptor("r", function, Types.LONG()).get_reduce_function().reduce(1, 2) == 3


def test_the_aggregate_function_comes_back():
    count = Count()
    assert AggregatingStateDescriptor("a", count, Types.LONG()).get_agg_function() is count


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ValueStateDescriptor("", Types.LONG()), "needs a name"),
        (lambda: ValueStateDescriptor(None, Types.LONG()), "needs a name"),
        (lambda: ValueStateDescriptor("v", Types.LONG), "with parentheses"),
        (lambda: ReducingStateDescriptor("r", 3, Types.LONG()), "lambda a, b: a \\+ b"),
        (lambda: ReducingStateDescriptor("r", Sum, Types.LONG()), "no reduce function"),
        (lambda: AggregatingStateDescriptor("a", max, Types.LONG()), "derived from AggregateFunction"),
    ],
)
def test_wrong_arguments_are_refused(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_time_to_live_is_remembered():
    descriptor = ValueStateDescriptor("v", Types.LONG())
    assert descriptor.ttl_config is None
    config = StateTtlConfig.new_builder(Time.seconds(1)).build()
    descriptor.enable_time_to_live(config)
    assert descriptor.ttl_config is config


def test_a_disabled_time_to_live_is_fine():
    disabled = StateTtlConfig.new_builder(Time.seconds(1)).set_update_type(StateTtlConfig.UpdateType.Disabled).build()
    descriptor = ValueStateDescriptor("v")
    descriptor.enable_time_to_live(disabled)
    assert descriptor.ttl_config is None
