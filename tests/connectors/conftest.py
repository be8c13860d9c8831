"""Shared by the tests of sources: run all epochs of a source, each read twice."""

from __future__ import annotations

from itertools import chain, repeat

import cloudpickle
import pytest

MOST_EPOCHS = 10_000


def read_plan(source, plan):
    """Return the values of a plan per subtask; whoever reads it again, from a fresh copy, gets the same."""
    copy = cloudpickle.loads(cloudpickle.dumps(source))
    values = []
    for reads in plan.reads:
        batches = [batch for read in reads for batch in source.read(read)]
        again = [batch for read in reads for batch in copy.read(cloudpickle.loads(cloudpickle.dumps(read)))]
        assert [(batch.values, batch.stamps) for batch in batches] == [(batch.values, batch.stamps) for batch in again]
        assert all(len(batch) for batch in batches), "an empty batch is work for nothing"
        values.append([value for batch in batches for value in batch.values])
    return values


def drain_source(source, parallelism=1, scales=(), now=0):
    """Return all values of a bounded source per subtask; ``scales`` are those of the first epochs."""
    enumerator = source.create_enumerator(parallelism)
    values = [[] for _ in range(parallelism)]
    try:
        for _, scale in zip(range(MOST_EPOCHS), chain(scales, repeat(1.0)), strict=False):
            plan = enumerator.plan(scale, now)
            assert len(plan.reads) == parallelism
            for subtask, read in enumerate(read_plan(source, plan)):
                values[subtask] += read
            if plan.ended:
                assert not plan.backlog
                return values
        pytest.fail("the source does not end")
    finally:
        enumerator.close()


@pytest.fixture(scope="session")
def drain():
    return drain_source


@pytest.fixture(scope="session")
def read():
    return read_plan
