from __future__ import annotations

import cloudpickle
import pytest

from flott.datastream.functions.wrappers import (
    FilterFunctionWrapper,
    FlatMapFunctionWrapper,
    MapFunctionWrapper,
    ReduceFunctionWrapper,
)


@pytest.mark.parametrize(
    ("wrapper", "method"),
    [
        (MapFunctionWrapper, "map"),
        (FlatMapFunctionWrapper, "flat_map"),
        (FilterFunctionWrapper, "filter"),
        (ReduceFunctionWrapper, "reduce"),
    ],
)
def test_the_engine_calls_the_users_function_directly(wrapper, method):
    def function(*_):
        return None

    assert getattr(wrapper(function), method) is function


def test_a_wrapper_opens_closes_and_travels():
    wrapper = cloudpickle.loads(cloudpickle.dumps(MapFunctionWrapper(lambda value: value + 1)))
    wrapper.open(None)
    assert wrapper.map(1) == 2
    wrapper.close()
