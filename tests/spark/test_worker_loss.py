"""kill -9 of a Python worker in the middle of an epoch: the result is exact and one line says what happened."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path

import pytest

from flott.common import Types, WatermarkStrategy
from flott.datastream import KeyedProcessFunction
from flott.datastream.connectors.datagen import DataGeneratorSource
from flott.datastream.state import ValueStateDescriptor

pytestmark = [pytest.mark.spark, pytest.mark.chaos]

RECORDS, KEYS = 300_000, 50


class CountAndDie(KeyedProcessFunction):
    """Counts; kills its own process, hard, when it first meets certain counts."""

    def __init__(self, directory, deadly):
        self.directory = directory
        self.deadly = deadly

    def open(self, runtime_context):
        self.count = runtime_context.get_state(ValueStateDescriptor("count", Types.LONG()))

    def process_element(self, value, ctx):
        count = (self.count.value() or 0) + 1
        self.count.update(count)
        key = ctx.get_current_key()
        if key == 7 and count in self.deadly:
            mark = Path(self.directory, f"died-{count}")
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        if count == RECORDS // KEYS:
            yield key, count


def test_results_are_exact_and_one_line_tells(make_env, tmp_path, caplog):
    env = make_env(flott_epoch_target__duration="100 ms")
    source = DataGeneratorSource(lambda index: index, RECORDS)
    counted = (
        env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
        .key_by(lambda n: n % KEYS)
        .process(CountAndDie(str(tmp_path), {10, 3_000, 5_500}))
    )
    with caplog.at_level(logging.WARNING, logger="flott"), counted.execute_and_collect() as results:
        got = sorted(results)
    assert got == [(key, RECORDS // KEYS) for key in range(KEYS)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["died-10", "died-3000", "died-5500"]
    told = [record.getMessage() for record in caplog.records]
    assert told
    assert all("\n" not in line for line in told)
    assert all("ran" in line and "again; the result is exact" in line for line in told)
