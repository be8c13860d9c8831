"""Finds what feeds each operator: through all virtual steps, back to the operators behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flott.errors import GraphError
from flott.graph.transformations import (
    PartitionTransformation,
    PhysicalTransformation,
    SideOutputTransformation,
    UnionTransformation,
)
from flott.runtime.operator import Operator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from flott.graph.transformations import Transformation
    from flott.runtime.partitioners import Partitioner

    Origins: TypeAlias = dict[PhysicalTransformation, tuple[tuple["Origin", ...], ...]]


@dataclass(frozen=True, slots=True)
class Origin:
    """The operator a stream comes from, and what happened to the stream on the way."""

    step: PhysicalTransformation
    partitioner: Partitioner | None = None
    tag: str | None = None


def resolve_origins(registered: Iterable[Transformation]) -> Origins:
    """Return each operator with the origins of each of its inputs; inputs before consumers.

    Of several virtual steps of a kind in a row, the one nearest the consumer counts.

    >>> from flott.runtime.partitioners import Rebalance, Shuffle
    >>> numbers = PhysicalTransformation(id=1, name="numbers", operator=Operator(), source=object())
    >>> dealt = PartitionTransformation(id=2, name="P", inputs=(numbers,), partitioner=Rebalance())
    >>> mixed = PartitionTransformation(id=3, name="P", inputs=(dealt,), partitioner=Shuffle())
    >>> mapped = PhysicalTransformation(id=4, name="Map", inputs=(mixed,), operator=Operator())
    >>> origins = resolve_origins([mapped])
    >>> [step.name for step in origins]
    ['numbers', 'Map']
    >>> ((origin,),) = origins[mapped]
    >>> origin.step.name, origin.partitioner
    ('numbers', Shuffle())
    """
    origins: Origins = {}
    streams: dict[Transformation, tuple[Origin, ...]] = {}
    by_id: dict[int, PhysicalTransformation] = {}
    for step in _inputs_first(registered):
        if isinstance(step, PhysicalTransformation):
            _check_shape(step)
            if by_id.setdefault(step.id, step) is not step:
                raise GraphError(
                    f"{step.label} and {by_id[step.id].label} have the same id {step.id}; "
                    "build both streams from one StreamExecutionEnvironment"
                )
            origins[step] = tuple(streams[upstream] for upstream in step.inputs)
            streams[step] = (Origin(step),)
        else:
            streams[step] = tuple(_through(step, streams))
    return origins


def _through(step: Transformation, streams: dict[Transformation, tuple[Origin, ...]]) -> Iterator[Origin]:
    """What comes out of a virtual step: what went in, with the step's word on it."""
    if isinstance(step, UnionTransformation) and step.inputs:
        for upstream in step.inputs:
            yield from streams[upstream]
        return
    if len(step.inputs) != 1:
        raise GraphError(
            f"{step.label} has {len(step.inputs)} inputs; a union needs one or more, "
            "a partitioning or a side output exactly one"
        )
    for origin in streams[step.inputs[0]]:
        if isinstance(step, PartitionTransformation):
            yield replace(origin, partitioner=step.partitioner)
        elif isinstance(step, SideOutputTransformation):
            yield replace(origin, tag=step.tag)
        else:
            raise GraphError(
                f"{step.label} is a {type(step).__name__}, which no rule translates; use a "
                "physical, partition, union or side output transformation"
            )


def _check_shape(step: PhysicalTransformation) -> None:
    """The number of inputs has to fit what the operator is."""
    inputs = len(step.inputs)
    if not _is_operator(step.operator):
        problem = f"has {step.operator!r} where an Operator is needed"
    elif step.is_source and inputs:
        problem = f"is a source, yet has {inputs} input(s); a source reads from outside only"
    elif not step.is_source and not inputs:
        problem = "has no input and is no source; apply it to a stream, as in stream.map(...)"
    elif inputs and inputs != step.operator.inputs:
        problem = (
            f"has {inputs} input(s), but its operator, a {type(step.operator).__name__}, takes {step.operator.inputs}; "
            "streams become one input by a.union(b, c)"
        )
    else:
        return
    raise GraphError(f"{step.label} {problem}")


def _is_operator(candidate: object) -> bool:
    """Types promise it, but programs that build graphs by hand may not be type-checked."""
    return isinstance(candidate, Operator)


def _inputs_first(registered: Iterable[Transformation]) -> list[Transformation]:
    """Each step once, after its inputs; no recursion: programs may be deeper than Python's stack."""
    done: dict[Transformation, None] = {}
    open_steps: dict[Transformation, Iterator[Transformation]] = {}
    for root in registered:
        if root not in done:
            open_steps[root] = iter(root.inputs)
        while open_steps:
            step, upstreams = next(reversed(open_steps.items()))
            for upstream in upstreams:
                if upstream in open_steps:
                    raise GraphError(
                        f"{upstream.label} feeds itself by way of {step.label}; "
                        "a stream can't flow back to a step it comes from"
                    )
                if upstream not in done:
                    open_steps[upstream] = iter(upstream.inputs)
                    break
            else:
                del open_steps[step]
                done[step] = None
    return list(done)
