"""Random elements, watermarks and channels: the windows come out as a small model says, and nothing stays behind."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from flott.runtime.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flott.runtime.valve import Valve
from flott.runtime.windowing.operator import WindowOperator
from flott.testing.harness import KeyedOneInputOperatorHarness
from flott.testing.transcripts import LATE, Transcript, key_of

CHANNELS = 2


def model(window, lateness, events):
    """What all windows hold at the end, and what is late: no timers, no triggers, no state."""
    panes, late = defaultdict(list), []
    marks, watermark = [MIN_TIMESTAMP] * CHANNELS, MIN_TIMESTAMP
    for channel, kind, value in events:
        if kind == "mark":
            marks[channel] = max(marks[channel], value)
            watermark = max(watermark, min(marks))
            continue
        key, number, time = value
        if "session" in window:
            own = (time, time + window["session"])
            others = [pane for pane in panes if pane[0] == key and pane[2] - 1 + lateness > watermark]
            joined = []
            while touching := [p for p in others if p[1] <= own[1] and p[2] >= own[0]]:
                own = (min(own[0], *(p[1] for p in touching)), max(own[1], *(p[2] for p in touching)))
                joined += touching
                others = [pane for pane in others if pane not in touching]
            if own[1] - 1 + lateness > watermark:
                panes[(key, *own)] = sorted(sum((panes.pop(pane) for pane in joined), [number]))
                continue
            spans = [own]
        else:
            size, slide = window.get("sliding", window.get("tumbling")), window.get("slide", window.get("tumbling"))
            last = time - (time - window.get("offset", 0)) % slide
            spans = [(start, start + size) for start in range(last, time - size, -slide)]
        open_spans = [span for span in spans if span[1] - 1 + lateness > watermark]
        for span in open_spans:
            panes[(key, *span)] = sorted([*panes[(key, *span)], number])
        if not open_spans and time + lateness <= watermark:
            late.append(number)
    return dict(panes), late


windows = st.one_of(
    st.builds(lambda size, shift: {"tumbling": size, "offset": shift % size}, st.integers(1, 12), st.integers(-5, 5)),
    st.builds(
        lambda size, slide, shift: {"sliding": size, "slide": slide, "offset": shift % slide},
        st.integers(1, 12),
        st.integers(1, 12),
        st.integers(-5, 5),
    ),
    st.builds(lambda gap: {"session": gap}, st.integers(1, 8)),
)
times = st.integers(-20, 40)
elements = st.tuples(st.sampled_from("ab"), times)
events = st.lists(
    st.one_of(
        st.tuples(st.integers(0, CHANNELS - 1), st.just("mark"), times),
        st.tuples(st.integers(0, CHANNELS - 1), st.just("element"), elements),
        st.tuples(st.integers(0, CHANNELS - 1), st.just("element"), elements),
        st.tuples(st.just(0), st.just("epoch"), st.booleans()),
    ),
    max_size=40,
)


def numbered(script):
    return [
        (channel, kind, (value[0], 2**position, value[1]) if kind == "element" else value)
        for position, (channel, kind, value) in enumerate(script)
    ]


def run(operator, script):
    """Run a script, then the end of time; return what came out, what was late, and what is left."""
    valve = Valve(CHANNELS)
    with KeyedOneInputOperatorHarness(operator) as harness:
        for channel, kind, value in script:
            if kind == "element":
                key, number, time = value
                harness.process_element((key, number), time)
            elif kind == "epoch":
                harness.end_epoch(new_worker=value)
            elif (watermark := valve.input_watermark(channel, value)) is not None:
                harness.process_watermark(watermark)
        harness.process_watermark(MAX_WATERMARK)
        late = [number for _, number in harness.extract_side_output(LATE)]
        timers = harness.num_event_time_timers()
        return harness.extract_output_values(), late, timers + harness.num_state_entries()


@given(windows, st.integers(0, 10), events, st.booleans())
def test_the_last_result_of_every_window_is_that_of_the_model(window, lateness, script, as_list):
    script = numbered(script)
    case = Transcript("", window, [], "list" if as_list else "sum", allowed_lateness=lateness)
    results, late, left = run(case.spec().operator(key_of), script)
    expected, expected_late = model(window, lateness, [event for event in script if event[1] != "epoch"])
    last = {(key, *bounds): sorted(value) if as_list else value for key, value, bounds in results}
    final = {pane: last.get(pane) for pane in expected}
    assert final == {pane: values if as_list else sum(values) for pane, values in expected.items()}
    assert late == expected_late
    assert left == 0


@given(windows, st.integers(0, 10), events, st.sampled_from(["sum", "reduce", "mean", "list"]))
def test_the_short_way_gives_the_same_as_the_general_one(window, lateness, script, aggregate):
    script = numbered(script)
    case = Transcript("", window, [], aggregate, allowed_lateness=lateness)
    spec = case.spec(with_keys=False)
    assert spec.is_plain() or (aggregate == "list" and "session" in window)
    short, general = run(spec.operator(key_of), script), run(WindowOperator(spec, key_of), script)
    assert sorted(short[0]) == sorted(general[0])
    assert short[1:] == general[1:]
