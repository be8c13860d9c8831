from __future__ import annotations

import pytest

from flott.errors import GraphError
from flott.graph.check_uids import check_uids

HASH = "0123456789abcdef0123456789abcdef"


def test_distinct_uids_hashes_and_none_are_fine(build):
    build.source("a", uid="a")
    build.source("b", uid_hash=HASH)
    build.source("c", uid="c", uid_hash=HASH.replace("0", "f"))
    build.source("d")
    build.source("e")
    check_uids(build.steps, auto_generated=True)


def test_a_uid_or_a_hash_is_enough_where_uids_are_asked_for(build):
    build.source("a", uid="a")
    build.source("b", uid_hash=HASH)
    check_uids(build.steps, auto_generated=False)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"uid": "x"}, {"uid": "x"}, r"^operator 'second' \(uid=x\): operator 'first' \(uid=x\) has this uid too; "),
        ({"uid": ""}, {"uid": ""}, r"'second' \(uid=\): operator 'first' \(uid=\) has this uid too"),
        (
            {"uid_hash": HASH},
            {"uid": "x", "uid_hash": HASH.upper()},
            r"^operator 'second' \(uid=x\): operator 'first' \(no uid\) has uid hash .*own set_uid_hash",
        ),
        ({}, {"uid_hash": "cafe"}, r"'second' .*uid hash 'cafe' is not an operator id; it has 32 hexadecimal"),
        ({}, {"uid_hash": "g" * 32}, "is not an operator id"),
        ({}, {"uid_hash": HASH + "\n"}, "is not an operator id"),
    ],
)
def test_a_uid_that_tells_nothing_apart_is_refused(build, first, second, message):
    build.source("first", **first)
    build.source("second", **second)
    with pytest.raises(GraphError, match=message):
        check_uids(build.steps, auto_generated=True)


def test_a_missing_uid_is_refused_when_none_are_generated(build):
    build.source("first", uid="x")
    build.source("second")
    with pytest.raises(GraphError, match=r"^operator 'second' \(no uid\): it needs a uid, .*add uid\('...'\)"):
        check_uids(build.steps, auto_generated=False)
