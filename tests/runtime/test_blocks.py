from __future__ import annotations

from dataclasses import dataclass

import pytest

from flott.errors import ExchangeError, FlottError
from flott.runtime import blocks as blocks_module
from flott.runtime.batch import Batch
from flott.runtime.blocks import BLOCK_RECORDS, ChannelReader, ChannelWriter


@dataclass
class Order:
    amount: int


def write(steps, *, ended=False, failed=False, epoch=1):
    blocks = []
    writer = ChannelWriter(lambda sequence, data: blocks.append((sequence, data)), lambda error: FlottError(str(error)))
    for kind, *arguments in steps:
        getattr(writer, kind)(*arguments)
    writer.close(epoch, "token", ended=ended, failed=failed)
    return blocks


def read(blocks, epoch=1):
    reader = ChannelReader("a channel")
    for sequence, data in blocks:
        reader.add(sequence, data)
    barrier = reader.complete(epoch)
    return list(reader.segments()), barrier


def test_elements_come_back_in_order():
    blocks = write(
        [("add", Batch([1, 2])), ("add", Batch([3])), ("watermark", 7), ("status", False), ("add", Batch([4], [9]))]
    )
    segments, barrier = read(blocks)
    assert [tuple(segment) for segment in segments] == [
        ([1, 2, 3], None, 7, None),
        ([], None, None, False),
        ([4], [9], None, None),
    ]
    assert (barrier.token, barrier.blocks, barrier.ended, barrier.failed) == ("token", 1, False, False)


def test_objects_of_the_users_own_classes_travel():
    segments, _ = read(write([("add", Batch([Order(3), ("plain", 1)]))]))
    assert segments[0].values == [Order(3), ("plain", 1)]


def test_a_batch_that_goes_to_two_channels_is_not_changed():
    shared = [1, 2]
    write([("add", Batch(shared)), ("add", Batch([3]))])
    assert shared == [1, 2]


def test_many_records_make_several_blocks_that_may_arrive_in_any_order():
    blocks = write([("add", Batch(list(range(BLOCK_RECORDS)))), ("add", Batch([-1])), ("watermark", 5)])
    assert len(blocks) == 2
    segments, barrier = read(reversed(blocks))
    assert [len(segment.values) for segment in segments] == [BLOCK_RECORDS, 1]
    assert barrier.blocks == 2


def test_stamped_and_unstamped_records_stay_apart():
    segments, _ = read(write([("add", Batch([1])), ("add", Batch([2], [5]))]))
    assert [(s.values, s.stamps) for s in segments] == [([1], None), ([2], [5])]


def test_a_lost_block_is_an_error():
    blocks = write([("add", Batch(list(range(BLOCK_RECORDS)))), ("add", Batch([1]))])
    with pytest.raises(ExchangeError, match="no barrier"):
        read(blocks[:1])
    with pytest.raises(ExchangeError, match=r"blocks \[1\] arrived, 2 were sent"):
        read(blocks[1:])


def test_a_doubled_block_is_an_error():
    blocks = write([("add", Batch([1]))])
    with pytest.raises(ExchangeError, match="arrived twice"):
        read(blocks * 2)


def test_a_barrier_of_another_epoch_is_an_error():
    with pytest.raises(ExchangeError, match="barrier of epoch 1 in epoch 2"):
        read(write([]), epoch=2)


def test_after_a_failure_only_the_barrier_counts():
    segments, barrier = read(write([("add", Batch([1]))], failed=True))
    assert segments == []
    assert barrier.failed


def test_what_cannot_be_pickled_is_reported():
    with pytest.raises(FlottError, match="pickle"):
        write([("add", Batch([lambda: 1]))])


def test_a_block_is_read_when_its_turn_comes(monkeypatch):
    read_so_far = []
    monkeypatch.setattr(blocks_module, "decode_block", lambda data: read_so_far.append(data) or [])
    blocks = write([("add", Batch(list(range(BLOCK_RECORDS)))), ("add", Batch([1])), ("watermark", 5)])
    reader = ChannelReader("a channel")
    for sequence, data in blocks:
        reader.add(sequence, data)
    reader.complete(1)
    assert read_so_far == []
    list(reader.segments())
    assert read_so_far == [data for _, data in blocks]


@pytest.mark.parametrize("kind", [b"m", b"p", b"M"])
def test_blocks_of_other_formats_are_refused(kind):
    [(_, data)] = write([("add", Batch([1, 2], [3, 4])), ("watermark", 5)])
    with pytest.raises(ExchangeError, match="a block begins with"):
        blocks_module.decode_block(kind + bytes(data[1:]))


def test_blocks_of_numbers_and_texts_are_columns_and_others_marshalled():
    stamps = list(range(100))
    for values in ([(number, str(number)) for number in range(100)], [[number] for number in range(100)]):
        [(_, data)] = write([("add", Batch(values, stamps)), ("watermark", 5), ("add", Batch([1]))])
        assert bytes(data[:1]) == b"C"
        segments, _ = read([(0, memoryview(data))])
        assert [tuple(segment) for segment in segments] == [(values, stamps, 5, None), ([1], None, None, None)]


def test_timestamps_that_some_records_lack_come_back():
    stamps = [None, *range(99)]
    segments, _ = read(write([("add", Batch(list(range(100)), stamps))]))
    assert segments[0].stamps == stamps
