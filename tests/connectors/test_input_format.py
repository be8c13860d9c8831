from __future__ import annotations

import pytest

from flott.common import Configuration, Types
from flott.common.io import InputFormat
from flott.connectors.base import BATCH_SIZE
from flott.connectors.input_format import InputFormatSource
from flott.datastream import StreamExecutionEnvironment
from flott.errors import JobExecutionError


class Words(InputFormat):
    """Each line is a split."""

    def __init__(self, lines):
        self.lines = lines

    def create_input_splits(self, min_num_splits):
        return self.lines

    def open(self, split):
        self.rest = split.split()

    def reached_end(self):
        return not self.rest

    def next_record(self):
        return self.rest.pop(0)

    def close(self):
        del self.rest

    def get_produced_type(self):
        return Types.STRING()


class Counting(Words):
    def open(self, split):
        self.rest = list(range(split))


def read(source, plan):
    return [[list(batch.values) for one in reads for batch in source.read(one)] for reads in plan.reads]


@pytest.mark.parametrize("parallelism", [1, 2, 3])
def test_a_program_reads_every_split_once(parallelism):
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration).set_parallelism(parallelism)
    words = env.create_input(Words(["a b", "", "c", "d e f", "g"]))
    assert words.get_type() == Types.STRING()
    with words.execute_and_collect() as results:
        assert sorted(results) == list("abcdefg")


def test_an_epoch_reads_a_split_per_subtask_and_more_when_it_may_be_longer():
    source = InputFormatSource(Words(["a", "b", "c", "d", "e"]))
    splits = source.create_enumerator(2)
    first = splits.plan(1.0, now=0)
    assert read(source, first) == [[["a"]], [["b"]]]
    assert (first.backlog, first.ended) == (True, False)
    kept = splits.snapshot()
    second = splits.plan(2.0, now=0)
    assert read(source, second) == [[["c"], ["e"]], [["d"]]]
    assert (second.backlog, second.ended, second.empty) == (False, True, False)
    assert splits.plan(1.0, now=0).empty

    restored = InputFormatSource(Words(["other", "splits"])).create_enumerator(2)
    restored.restore(kept)
    assert restored.plan(2.0, now=0).reads == second.reads


def test_a_read_can_be_done_again():
    source = InputFormatSource(Words(["a b"]))
    plan = source.create_enumerator(1).plan(1.0, now=0)
    assert read(source, plan) == read(source, plan) == [[["a", "b"]]]


def test_a_long_split_comes_in_batches():
    source = InputFormatSource(Counting([2 * BATCH_SIZE + 1]))
    plan = source.create_enumerator(1).plan(1.0, now=0)
    assert [len(batch) for batch in read(source, plan)[0]] == [BATCH_SIZE, BATCH_SIZE, 1]


def test_a_format_that_fails_fails_the_job():
    configuration = Configuration().set_string("flott.execution.target", "in-process")
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.create_input(Words([None])).print()
    with pytest.raises(JobExecutionError, match="'NoneType' object has no attribute 'split'"):
        env.execute()
