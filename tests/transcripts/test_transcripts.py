"""Every transcript on the harness: straight, in batches, and with another worker after every step."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from flott.runtime.valve import Valve
from flott.runtime.windowing.operator import LATE_RECORDS, WindowOperator
from flott.testing.harness import KeyedOneInputOperatorHarness
from flott.testing.transcripts import CHECKS, LATE, Transcript, key_of, millis

pytestmark = pytest.mark.job

YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The quick one, where there is one."""

CASES = [
    pytest.param(Transcript.read(case), id=f"{path.stem}: {case['name']}")
    for path in sorted(Path(__file__).parent.glob("*.yaml"))
    for case in yaml.load(path.read_text(encoding="utf-8"), YAML)  # noqa: S506 - safe
]


def by_key(results):
    """The order of results counts for each key, not between keys."""
    return sorted(results, key=lambda result: str(result[0]))


class Run:
    """A transcript on the harness."""

    def __init__(self, case, operator, *, batches=False, new_workers=False, keyed=True):
        self.harness = KeyedOneInputOperatorHarness(operator).open()
        self.valve = Valve(case.channels)
        self.case = case
        self.batches = batches
        self.new_workers = new_workers
        self.keyed = keyed
        self.pending = []
        self.dropped = 0

    def run(self):
        with self.harness:
            for kind, value in self.case.steps:
                if kind != "element":
                    self.flush()
                if kind not in CHECKS:
                    self.feed(kind, value)
                    if self.new_workers:
                        self.count_dropped()
                        self.harness.end_epoch(new_worker=True)
                else:
                    getattr(self, f"check_{kind}")(value)
            self.flush()
            self.check_emits([])
            self.check_late([])

    def feed(self, kind, value):
        harness = self.harness
        if kind == "element":
            record = (value.get("key", "a"), value["value"])
            self.pending.append((record, None if "at" not in value else millis(value["at"])))
            if not self.batches:
                self.flush()
        elif kind == "processing_time":
            self.check_emits([])
            harness.set_processing_time(millis(value))
        elif kind == "watermark":
            self.check_emits([])
            channel, at = (value["channel"], value["at"]) if isinstance(value, dict) else (0, value)
            self.pass_on(self.valve.input_watermark(channel, millis(at)), None)
        else:
            self.pass_on(*self.valve.input_status(value, kind == "active"))

    def flush(self):
        if self.pending:
            self.check_emits([])
            records, times = zip(*self.pending, strict=True)
            self.harness.process_batch(list(records), None if set(times) == {None} else list(times))
            self.pending = []

    def pass_on(self, watermark, active):
        if watermark is not None:
            self.harness.process_watermark(watermark)
        if active is not None:
            self.harness.process_status(active)

    def emitted(self):
        values = self.harness.extract_output_values()
        self.harness.main.events.clear()
        return values

    def check_emits(self, expected):
        results = self.emitted()
        if not self.keyed:
            results = [value[1] if isinstance(value, tuple) else value for value in results]
            assert sorted(results) == sorted(result[1] for result in expected)
            return
        wanted = [(key, result, tuple(bounds[0]) if bounds else None) for key, result, *bounds in expected]
        got = [
            (key, result, None if asked[2] is None else bounds)
            for (key, result, bounds), asked in zip(by_key(results), by_key(wanted), strict=False)
        ]
        assert (got, len(results)) == (by_key(wanted), len(wanted)), f"came out: {results}"

    def check_late(self, expected):
        late = [list(record) for record in self.harness.extract_side_output(LATE)]
        for (recorder,) in self.harness.sides.values():
            recorder.events.clear()
        assert late == expected

    def count_dropped(self):
        self.dropped += self.harness.operator.context.metrics.counts().get(LATE_RECORDS, 0)

    def check_dropped(self, expected):
        self.count_dropped()
        assert self.dropped == expected

    def check_timers(self, expected):
        assert self.harness.num_event_time_timers() + self.harness.num_processing_time_timers() == expected

    def check_state(self, expected):
        assert expected == "empty"
        entries = self.harness.num_state_entries()
        assert entries == 0


@pytest.mark.parametrize("case", CASES)
def test_step_by_step(case):
    Run(case, case.spec().operator(key_of)).run()


@pytest.mark.parametrize("case", CASES)
def test_with_a_new_worker_after_every_step(case):
    Run(case, case.spec().operator(key_of), new_workers=True).run()


@pytest.mark.parametrize("case", CASES)
def test_in_batches(case):
    Run(case, case.spec().operator(key_of), batches=True).run()


@pytest.mark.parametrize("case", [case for case in CASES if case.values[0].aggregate != "list"])
def test_results_without_a_window_function(case):
    """Takes the short way where there is one."""
    Run(case, case.spec(with_keys=False).operator(key_of), keyed=False).run()


@pytest.mark.parametrize("case", [case for case in CASES if case.values[0].spec(with_keys=False).is_plain()])
def test_the_general_operator_does_the_same(case):
    Run(case, WindowOperator(case.spec(), key_of)).run()


def test_there_are_enough_cases():
    assert len(CASES) >= 150
    names = [case.values[0].name for case in CASES]
    assert len(set(names)) == len(names)
