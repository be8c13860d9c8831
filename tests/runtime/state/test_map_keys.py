"""Which keys of maps need no look at their canonical form, compiled and not, and how keys come back."""

from __future__ import annotations

from collections import namedtuple
from decimal import Decimal

import pytest

from flott.common import Row
from flott.runtime.canonical_keys import canonical_key
from flott.runtime.emission import copied
from flott.runtime.state import map_keys
from flott.runtime.state.map_keys import ShownKeys, found_by, is_plain

PLAIN = ["ann", 7, b"x", None, (), ("ann", 7), (None, b"x", 2**70)]
Pair = namedtuple("Pair", ["name", "number"])  # noqa: PYI024 - as users have them
NOT_PLAIN = [
    True, 7.0, -0.0, float("nan"), float("inf"), ["ann"], ("ann", 7.0), ("ann", True), ("ann", [7]),
    ("ann", ("bob", float("nan"))), Pair("ann", 7), Row("ann", 7), Decimal("0.5"), frozenset({7}),
    type("Name", (str,), {})("ann"),
]  # fmt: skip
EITHER = [0.5, ("ann", ("bob", 7)), ("ann", 0.5)]


@pytest.mark.parametrize("plain", [is_plain, map_keys._plain], ids=["as installed", "pure"])
@pytest.mark.parametrize("key", PLAIN + NOT_PLAIN + EITHER, ids=repr)
def test_a_plain_key_is_its_own_canonical_form_and_can_not_change(plain, key):
    if plain(key):
        assert canonical_key(key) is key
        assert copied(key) is key


@pytest.mark.parametrize("plain", [is_plain, map_keys._plain], ids=["as installed", "pure"])
@pytest.mark.parametrize("key", NOT_PLAIN, ids=repr)
def test_other_keys_are_looked_at(plain, key):
    assert not plain(key)


@pytest.mark.parametrize("key", [("ann", 7), ()], ids=repr)
def test_tuples_of_strings_and_integers_are_plain(key):
    assert is_plain(key)
    assert map_keys._plain(key)
    assert found_by(key) is key


def test_a_plain_key_that_is_put_later_is_shown_instead_of_an_equal_one():
    shown = ShownKeys()
    form = shown.put("map", ("ann", 7.0))
    assert [type(item) for item in shown.of("map", form)] == [str, float]
    assert shown.put("map", ("ann", 7)) == form
    assert [type(item) for item in shown.of("map", form)] == [str, int]
