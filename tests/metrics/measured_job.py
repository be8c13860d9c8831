"""A job without an engine: a plan, and reports as its subtasks would send them."""

from __future__ import annotations

from dataclasses import dataclass, field

from flott.datastream import StreamExecutionEnvironment
from flott.graph.epoch_plan import build_epoch_plan
from flott.graph.stream_graph import generate_stream_graph
from flott.metrics import MetricGroup
from flott.metrics.job_metrics import JobMetrics
from flott.runtime.reports import TaskReport


class Stopwatch:
    """Seconds, moved by hand."""

    now = 100.0

    def __call__(self):
        return self.now


@dataclass
class Epoch:
    epoch: int
    reports: list[TaskReport] = field(default_factory=list)
    seconds: float = 1.0
    backlog: bool = False
    started: int = 1_000_000


def plan_of(job_name='a "job"\n\\'):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.from_sequence(1, 10).map(lambda n: n, None).name("up, down").key_by(lambda n: n % 3).map(str).print()
    return build_epoch_plan(generate_stream_graph(env.program(job_name)))


def report(plan, vertex, subtask, total=0.1, records=10, **more):
    chain = plan.vertices[vertex].chain
    emitted = tuple(records * (place + 1) for place in range(len(chain)))
    return TaskReport(vertex, subtask, "token", 0, records_in=records, records_out=emitted[-1], emitted=emitted,
                      seconds={"total": total}, bytes_in=100, bytes_out=200, finished=1_000_250, **more)  # fmt: skip


def epoch_of(plan, number=1, **more):
    return Epoch(number, [report(plan, v.index, s) for v in plan.vertices for s in range(v.parallelism)], **more)


def metrics_of(plan, **more):
    now = Stopwatch()
    return JobMetrics(plan, now=now, **more), now


def measured(plan, vertex=1):
    """Return metrics of every kind, of the head of a vertex."""
    group = MetricGroup()
    group.counter("seen").inc(3)
    group.gauge("level", lambda: 1.5)
    group.gauge("word", lambda: "calm")
    group.meter("rate", 10).mark_event(4)
    group.distribution("size").update(5)
    for value in range(1, 101):
        group.histogram("length").update(value)
    group.add_group("city", 'R"om\\e\n').counter("2nd-order").inc()
    return {plan.vertices[vertex].id: group.registry.measured()}
