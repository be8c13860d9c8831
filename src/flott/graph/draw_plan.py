"""The epoch plan on the terminal: which Spark partitions run what, and over which channels they speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.graph.drawing_labels import display_label

if TYPE_CHECKING:
    from flott.runtime.plan import EpochPlan


def draw_plan(plan: EpochPlan) -> str:
    """Return an epoch plan as text: a paragraph per level, an arrow per exchange.

    >>> from flott.graph.epoch_plan import build_epoch_plan
    >>> from flott.graph.job_graph import build_job_graph
    >>> from flott.graph.stream_graph import generate_stream_graph
    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> words = PhysicalTransformation(id=1, name="words", operator=Operator(), source=object(), parallelism=3)
    >>> upper = PhysicalTransformation(id=2, name="upper", inputs=(words,), operator=Operator())
    >>> program = Program(name="job", transformations=[upper], parallelism=2)
    >>> print(draw_plan(build_epoch_plan(build_job_graph(generate_stream_graph(program)))))
    job: an epoch runs 5 subtasks on 2 levels, 3 channels
    level 0, 3 partitions
      partitions 0-2: 0 Source: words
        -> 1 by REBALANCE, channels 0-2
    level 1, 2 partitions
      partitions 0-1: 1 upper
    """
    subtasks = sum(level.partitions for level in plan.levels)
    channels = sum(plan.vertices[edge.source].parallelism for edge in plan.edges)
    head = f"an epoch runs {subtasks} subtasks on {len(plan.levels)} levels, {channels} channels"
    lines = [f"{display_label(plan.job_name)}: {head}"]
    for level in plan.levels:
        lines.append(f"level {level.index}, {level.partitions} partitions")
        for vertex in (plan.vertices[index] for index in level.vertices):
            partitions = _span(vertex.first_partition, vertex.parallelism)
            lines.append(f"  partitions {partitions}: {vertex.index} {display_label(vertex.name)}")
            lines += [
                f"    -> {edge.target} by {edge.partitioner.name}, "
                f"channels {_span(edge.first_channel, vertex.parallelism)}"
                for edge in plan.outputs_of(vertex)
            ]
    return "\n".join(lines)


def _span(first: int, count: int) -> str:
    return f"{first}-{first + count - 1}" if count > 1 else str(first)
