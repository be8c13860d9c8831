from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import MemorySize


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("10", 10),
        ("10 b", 10),
        ("1 bytes", 1),
        ("1 k", 1 << 10),
        ("1kb", 1 << 10),
        ("1 kibibytes", 1 << 10),
        ("2m", 2 << 20),
        ("1 mebibytes", 1 << 20),
        ("3 gb", 3 << 30),
        ("1 GB", 1 << 30),
        ("1 t", 1 << 40),
        ("1 tebibytes", 1 << 40),
    ],
)
def test_reads_what_flink_reads(text, size):
    assert MemorySize.parse(text).get_bytes() == size


@pytest.mark.parametrize("text", ["", "kb", "1.5 gb", "-1 kb", "1 pb", "1 megabytes", "1 mib", "9999999999 tb"])
def test_refuses_what_flink_refuses(text):
    with pytest.raises(ValueError, match=r"memory (size|unit)"):
        MemorySize.parse(text)


def test_no_size_below_zero():
    with pytest.raises(ValueError, match="between 0 and"):
        MemorySize(-1)


@given(st.integers(0, 2**63 - 1))
def test_what_is_written_reads_back(size):
    assert MemorySize.parse(str(MemorySize(size))) == MemorySize(size)


def test_units():
    size = MemorySize.of_mebi_bytes(3 * 1024 * 1024)
    assert size.get_tebi_bytes() == 3
    assert size.get_gibi_bytes() == 3 << 10
    assert size.get_mebi_bytes() == 3 << 20
    assert size.get_kibi_bytes() == 3 << 30
    assert size.get_bytes() == 3 << 40
    texts = [str(MemorySize(size)) for size in (0, 10, 1024, 1536, 3 << 30)]
    assert texts == ["0 bytes", "10 bytes", "1 kb", "1536 bytes", "3 gb"]
    assert MemorySize(bytes_size=1) < MemorySize(2) <= MemorySize(2)
    assert len({MemorySize(1), MemorySize(1)}) == 1
