"""Window transcripts as whole jobs: a source per case, every step an epoch, compared step by step."""

from __future__ import annotations

import threading
from collections import defaultdict
from pathlib import Path

import yaml
from tests.waiting import PATIENCE

from flott.common import Configuration
from flott.connectors.base import Source
from flott.graph.transformations import (
    PartitionTransformation,
    PhysicalTransformation,
    Program,
    SideOutputTransformation,
)
from flott.runtime.batch import Batch
from flott.runtime.clock import ManualClock
from flott.runtime.operator import Operator
from flott.runtime.operators.sinks import DriverSink
from flott.runtime.operators.source import SourceOperator
from flott.runtime.partitioners import KeyGroupHash
from flott.runtime.source import SourcePlan, SplitRead
from flott.testing.transcripts import CHECKS, LATE, Transcript, key_of, millis

FILES = sorted(Path(__file__).parent.glob("*.yaml"))


def cases_of(path):
    return [Transcript.read(case) for case in yaml.safe_load(path.read_text(encoding="utf-8"))]


def moves_the_clock(case):
    return any(kind == "processing_time" for kind, _ in case.steps)


def inputs_of(case):
    """The steps that are input, each an epoch."""
    return [step for step in case.steps if step[0] not in CHECKS]


class Script(Source):
    """Emits the steps of a case, one per epoch; each subtask is a channel."""

    def __init__(self, case, stage):
        self.steps = inputs_of(case)
        self.channels = case.channels
        self.stage = stage

    def __getstate__(self):
        return {"steps": self.steps, "channels": self.channels, "stage": None}

    def is_bounded(self):
        return True

    def create_enumerator(self, parallelism):
        return ScriptEnumerator(self)

    def read(self, read):
        if read.start < min(read.end, len(self.steps)):
            kind, value = self.steps[read.start]
            channel = value["channel"] if isinstance(value, dict) and "channel" in value else 0
            channel = value if kind in {"idle", "active"} else channel
            if channel == int(read.split):
                yield Batch([(kind, value)])


class ScriptEnumerator:
    def __init__(self, script):
        self.script = script
        self.step = 0

    def plan(self, scale, now):
        self.script.stage.is_watched.wait()
        step, self.step = self.step, self.step + 1
        steps = self.script.steps
        if step < len(steps) and steps[step][0] == "processing_time":
            self.script.stage.clock.advance_to(millis(steps[step][1]))
        reads = tuple((SplitRead(str(channel), step, step + 1),) for channel in range(self.script.channels))
        return SourcePlan(reads, empty=False, backlog=True, ended=step >= len(steps))

    def close(self):
        pass


class Play(Operator):
    """Turns steps into records, watermarks and changes of status."""

    def process(self, batch):
        for kind, value in batch.values:
            if kind == "element":
                stamps = [millis(value["at"])] if "at" in value else None
                self.output.emit(Batch([(value.get("key", "a"), value["value"])], stamps))
            elif kind == "watermark":
                self.output.emit_watermark(millis(value["at"] if isinstance(value, dict) else value))
            elif kind in {"idle", "active"}:
                self.output.emit_status(kind == "active")

    def on_watermark(self, timestamp):
        """The end of the source is not part of the case."""


class Stage:
    """One job that plays several cases at once, and what came out of each, epoch by epoch."""

    def __init__(self, cases, submit):
        self.cases = cases
        self.submit = submit
        self.clock = ManualClock(0)
        self.is_watched = threading.Event()
        self.steps = []
        self.ids = 0
        self.now = defaultdict(list)
        self.epochs = []

    def add(self, name, operator, **more):
        self.ids += 1
        step = PhysicalTransformation(id=self.ids, name=name, operator=operator, **more)
        self.steps.append(step)
        return step

    def virtual(self, kind, **more):
        self.ids += 1
        return kind(id=self.ids, name="virtual", **more)

    def build(self, number, case):
        script = Script(case, self)
        source = self.add("script", SourceOperator(script), source=script, parallelism=case.channels)
        play = self.add("play", Play(), inputs=(source,), parallelism=case.channels)
        keyed = self.virtual(PartitionTransformation, inputs=(play,), partitioner=KeyGroupHash(key_of))
        window = self.add(f"window {number}", case.spec().operator(key_of), inputs=(keyed,), key_selectors=(key_of,))
        self.add("out", self.gather(number, "emits"), inputs=(window,), is_sink=True)
        late = self.virtual(SideOutputTransformation, inputs=(window,), tag=LATE.tag_id)
        self.add("late", self.gather(number, "late"), inputs=(late,), is_sink=True)

    def gather(self, number, kind):
        return DriverSink(lambda subtask, parallelism, values: self.now[number, kind].extend(values))

    def play(self):
        for number, case in enumerate(self.cases):
            self.build(number, case)
        configuration = Configuration()
        configuration.set_string("flott.spark.master", "local[2]")
        program = Program(name="transcripts", transformations=self.steps, parallelism=2)
        client = self.submit(program, configuration, self.clock)
        client.master.listeners.append(self.turn_page)
        self.is_watched.set()
        client.get_job_execution_result().result(PATIENCE)
        return client.master.counts

    def turn_page(self, stats):
        self.epochs.append((stats.epoch, dict(self.now)))
        self.now.clear()


def by_key(results):
    return sorted(results, key=lambda result: str(result[0]))


def check(case, number, pages, counts):
    """Go through the case: what each step brought out must be expected by the checks behind it."""
    outcome = {"emits": [], "late": []}
    epoch = 0
    for kind, expected in case.steps:
        if kind in {"emits", "late"}:
            got, outcome[kind] = outcome[kind], []
            if kind == "late":
                assert [list(record) for record in got] == expected
                continue
            wanted = [(key, result, tuple(bounds[0]) if bounds else None) for key, result, *bounds in expected]
            shown = [
                (key, result, None if asked[2] is None else bounds)
                for (key, result, bounds), asked in zip(by_key(got), by_key(wanted), strict=False)
            ]
            assert (shown, len(got)) == (by_key(wanted), len(wanted)), f"step {epoch}: came out: {got}"
        elif kind == "dropped":
            assert counts.get(f"window {number}.numLateRecordsDropped", 0) == expected
        elif kind not in CHECKS:
            epoch += 1
            assert outcome["emits"] == [], f"nobody expected {outcome['emits']} before step {epoch}"
            for name in outcome:
                outcome[name] += pages.get(epoch, {}).get((number, name), [])
    assert outcome == {"emits": [], "late": []}


def play_and_check(cases, submit):
    """Play cases in one job, which `submit` starts, and compare each step by step."""
    stage = Stage(cases, submit)
    counts = stage.play()
    pages = dict(stage.epochs)
    failed = []
    for number, case in enumerate(cases):
        try:
            check(case, number, pages, counts)
        except AssertionError as error:
            failed.append(f"{case.name}: {error}")
    assert not failed, "\n".join(failed)
