from __future__ import annotations

import socket
import threading
from functools import partial

import pytest

from flott.datastream import MapFunction, StreamExecutionEnvironment
from flott.datastream._checks.picklable import check_picklable
from flott.errors import GraphError

LOCK = threading.Lock()


class Client:
    __slots__ = ("connection",)

    def __init__(self):
        self.connection = threading.Lock()


class Guarded(MapFunction):
    def __init__(self):
        self.settings = {"client": Client()}

    def map(self, value):
        return value


class Refuses:
    def __reduce__(self):
        raise RuntimeError("not me")


def refusal_of(function):
    with pytest.raises(GraphError) as caught:
        check_picklable("map(...)", function)
    return str(caught.value)


def test_what_can_travel_passes():
    factor = 3
    check_picklable("map(...)", lambda value: value * factor)


def test_a_captured_lock_is_named():
    lock = threading.Lock()
    message = refusal_of(lambda value: (lock, value))
    assert "holds a lock: variable 'lock' around it" in message
    assert "in open() of a function class" in message


def test_a_captured_socket_is_named():
    with socket.socket() as connection:
        assert "holds a socket: variable 'connection' around it" in refusal_of(lambda _: connection)


def test_the_way_to_a_culprit_deep_inside_is_told():
    message = refusal_of(Guarded())
    assert "a Guarded can't be sent" in message
    assert "holds a lock: attribute 'connection' of Client, entry 'client' of a dict, attribute 'settings'" in message


def test_a_global_of_a_function_that_travels_by_value():
    # Functions of this module travel by reference; those of a script do not.
    namespace = {"LOCK": LOCK, "__name__": "__main__"}
    exec("def touch(value):\n    return LOCK, value", namespace)  # noqa: S102
    assert "global variable 'LOCK'" in refusal_of(namespace["touch"])


@pytest.mark.parametrize(
    ("function", "place"),
    [
        (partial(print, LOCK), "argument 0 of its partial"),
        (partial(print, file=LOCK), "argument 'file' of its partial"),
        (partial(lambda lock=LOCK: lock), "the default of its parameter 'lock'"),
        (Client().__init__, "attribute 'connection' of Client, the object of its method"),
        ([LOCK].append, "can't be sent"),
    ],
)
def test_places(function, place):
    assert place in refusal_of(function)


def test_an_environment_or_stream_can_not_be_captured():
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_collection([1])
    assert "holds a StreamExecutionEnvironment: variable 'env'" in refusal_of(lambda _: env)
    assert "holds a DataStream: variable 'stream' around it. A DataStream belongs" in refusal_of(lambda _: stream)


def test_when_nothing_inside_is_to_blame_the_error_itself_is_told():
    assert "pickling it fails: not me" in refusal_of(Refuses())


def test_circles_end():
    circle = [threading.Lock()]
    circle.insert(0, circle)
    assert "holds a lock" in refusal_of(lambda _: circle)
