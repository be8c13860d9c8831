from __future__ import annotations

import pytest

from flott.common.io import InputFormat


def test_reading_splits_one_after_the_other():
    class Ranges(InputFormat[int]):
        def create_input_splits(self, min_num_splits):
            return [range(i, i + 2) for i in range(min_num_splits)]

        def open(self, split):
            self.rest = list(split)

        def reached_end(self):
            return not self.rest

        def next_record(self):
            return self.rest.pop(0)

    ranges = Ranges()
    read = []
    for split in ranges.create_input_splits(3):
        ranges.open(split)
        while not ranges.reached_end():
            read.append(ranges.next_record())
        ranges.close()
    assert read == [0, 1, 1, 2, 2, 3]


def test_a_format_must_say_how_to_read():
    with pytest.raises(TypeError, match="abstract"):
        InputFormat()
