"""The compiled loop and the compiled values do what those in Python do, errors included."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.errors import StateAccessError
from flott.runtime import native
from flott.runtime.emission import emission
from flott.runtime.operators import calls
from flott.runtime.operators.results import Results
from flott.runtime.state.key_scope import KeyScope
from flott.runtime.state.live_values import LiveValuesInPython

compiled = pytest.mark.skipif(native.calls is None, reason="not compiled")


def values_classes():
    bases = [LiveValuesInPython] if native.calls is None else [LiveValuesInPython, native.calls.LiveValues]

    def fetch(self, key):
        self.fetched.append(key)
        return None if key == "absent" else f"stored {key}"

    return [type("Values", (base,), {"__slots__": ("fetched",), "_fetch": fetch}) for base in bases]


@pytest.fixture(params=values_classes(), ids=lambda made: made.__base__.__name__)
def live(request):
    values = request.param(KeyScope("op"))
    values.fetched = []
    return values


def test_a_value_is_the_one_written_then_the_one_read_then_the_one_stored(live):
    live._scope.key = "a"
    live._read["a"] = 1
    assert live.current() == 1
    live.replace(2)
    assert live.current() == 2
    live.replace(None)
    assert live.current() is None
    live._scope.key = "b"
    assert live.current() == "stored b"
    assert live.fetched == ["b"]
    assert live._written == {"a": None}


def test_a_value_is_of_the_dictionaries_that_are_there_now(live):
    live._scope.key = "a"
    live.replace(1)
    live._read, live._written = live._written, {}
    assert live.current() == 1
    live.replace(2)
    assert (live._read, live._written) == ({"a": 1}, {"a": 2})


def test_without_a_key_the_scope_says_so(live):
    for use in (live.current, lambda: live.replace(1)):
        with pytest.raises(StateAccessError, match="no key is set"):
            use()
    live._scope.key = 1
    live.replace(1)
    live._scope.unset()
    with pytest.raises(StateAccessError, match="no key is set"):
        live.current()


def test_a_key_that_cannot_be_one_is_an_error(live):
    live._scope.key = []
    for use in (live.current, lambda: live.replace(1)):
        with pytest.raises(TypeError, match="unhashable"):
            use()


@compiled
def test_compiled_values_need_a_real_scope():
    with pytest.raises(TypeError, match="KeyScope"):
        native.calls.LiveValues(SimpleNamespace(key=1))
    empty = native.calls.LiveValues.__new__(native.calls.LiveValues)
    with pytest.raises(StateAccessError):
        empty.current()


@compiled
def test_nothing_is_kept_alive():
    scope, key, value, result = KeyScope("op"), object(), object(), object()
    before = [sys.getrefcount(one) for one in (key, value, result)]
    live = native.calls.LiveValues(scope)

    def process(record, ctx):
        live.replace(value)
        assert live.current() is value
        yield result

    out = []
    for _ in range(100):
        native.calls.call_for_each(iter([1]), [key], None, process, SimpleNamespace(), scope, out, None, None, False)
    scope.unset()
    live._written.clear()
    out.clear()
    assert [sys.getrefcount(one) for one in (key, value, result)] == before


def behave(kind, record, ctx, scope):
    seen = record, ctx.stamp, getattr(scope, "key", None) if scope is not None else None
    if kind == "nothing":
        return None
    if kind == "list":
        return [seen, seen]
    if kind == "tuple":
        return (seen,)
    if kind == "number":
        return 7
    if kind == "raises":
        raise KeyError(record)
    return generated(kind, seen)


def generated(kind, seen):
    yield seen
    if kind == "generator of none":
        yield None
    if kind == "generator that raises":
        raise ValueError(seen)


KINDS = ["nothing", "list", "tuple", "generator", "generator of none", "number", "raises", "generator that raises"]


def by_compiled(records, keys, times, call, ctx, scope, out):
    out.stamps = None if times is None else []
    take = calls._take(out)
    native.calls.call_for_each(records, keys, times, call, ctx, scope, out.values, out.stamps, take, out.copies)


def by_python(records, keys, times, call, ctx, scope, out):
    if keys is None:
        calls._plain(records, call, ctx, out) if times is None else calls._stamped(records, times, call, ctx, out)
    elif times is None:
        calls._keyed(records, keys, call, ctx, scope, out)
    else:
        calls._keyed_stamped(records, keys, times, call, ctx, scope, out)


@compiled
@given(kinds=st.lists(st.sampled_from(KINDS[:5]) | st.sampled_from(KINDS)), keyed=st.booleans(), timed=st.booleans())
def test_the_loops_do_the_same(kinds, keyed, timed):
    outcomes = []
    for loop in (by_python, by_compiled):
        scope, ctx, out = (
            (KeyScope("op") if keyed else None),
            SimpleNamespace(stamp="of before"),
            Results(emission(object_reuse=False)),
        )
        records = iter(list(enumerate(kinds)))
        keys = [number % 3 for number, _ in enumerate(kinds)] if keyed else None
        times = [None if number % 5 == 4 else number for number, _ in enumerate(kinds)] if timed else None

        def call(record, ctx, scope=scope):
            return behave(record[1], record[0], ctx, scope)

        error = None
        try:
            loop(records, keys, times, call, ctx, scope, out)
        except (KeyError, ValueError, TypeError) as raised:
            error = type(raised), str(raised)
        stamps = out.stamps if error is None else None  # in the middle of a record nobody looks at them
        outcomes.append((out.values, stamps, error, records.__length_hint__(), ctx.stamp))
    assert outcomes[0] == outcomes[1]


@compiled
def test_a_scope_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="KeyScope"):
        native.calls.call_for_each(
            iter([1]), [1], None, len, SimpleNamespace(), SimpleNamespace(), [], None, None, False
        )


@compiled
def test_too_few_keys_are_an_error():
    with pytest.raises(IndexError):
        native.calls.call_for_each(
            iter([1, 2]), [1], None, lambda record, ctx: None, SimpleNamespace(), KeyScope("op"), [], None, None, False
        )
