from __future__ import annotations

import pickle
import re

import pytest

from flott.common import JobID


def test_random_ids_are_32_hex_digits_and_differ():
    ids = [JobID.generate() for _ in range(100)] + [JobID() for _ in range(100)]
    assert len(set(ids)) == 200
    assert all(re.fullmatch("[0-9a-f]{32}", str(job)) for job in ids)


def test_an_id_reads_back():
    job = JobID()
    assert JobID.from_hex(str(job)) == job
    assert JobID.from_hex(str(job).upper()) == job
    assert pickle.loads(pickle.dumps(job)) == job


@pytest.mark.parametrize("text", ["", "abc", "g" * 32, "0" * 33])
def test_what_is_no_id(text):
    with pytest.raises(ValueError, match="32 hexadecimal digits"):
        JobID.from_hex(text)
