"""How many subtasks a step runs as, and how many it may ever run as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.errors import GraphError
from flott.graph.transformations import PhysicalTransformation

if TYPE_CHECKING:
    from flott.graph.transformations import Program, Transformation

LOWEST_DEFAULT = 128
HIGHEST = 32768
"""More key groups than this are never worth their bookkeeping; the limit is Flink's."""


def resolve_parallelism(step: PhysicalTransformation, program: Program) -> tuple[int, int]:
    """Return a step's parallelism and max parallelism: its own, else the program's, else Flink's.

    >>> from flott.graph.transformations import PhysicalTransformation, Program
    >>> from flott.runtime.operator import Operator
    >>> step = PhysicalTransformation(id=1, name="Map", operator=Operator())
    >>> resolve_parallelism(step, Program(name="job", parallelism=100))
    (100, 256)
    >>> step.max_parallelism = 64
    >>> resolve_parallelism(step, Program(name="job", parallelism=100))
    Traceback (most recent call last):
    flott.errors.GraphError: operator 'Map' (no uid): parallelism 100 is above max parallelism ...
    """
    parallelism = _parallelism(step, program)
    max_parallelism = _max_parallelism(step, program, parallelism)
    if parallelism > max_parallelism:
        raise GraphError(
            f"{step.label}: parallelism {parallelism} is above max parallelism {max_parallelism}; "
            f"lower it with set_parallelism({max_parallelism})"
            + (
                f" or raise the limit with set_max_parallelism({parallelism})"
                if parallelism <= HIGHEST
                else f", {HIGHEST} is the most there can be"
            )
        )
    return parallelism, max_parallelism


def inherited_parallelism(step: Transformation, default: int) -> int | None:
    """Return the parallelism of an operator that runs beside each subtask of its input; None for the program's.

    Behind a union it is that of the most parallel of its streams.

    >>> from flott.graph.transformations import PhysicalTransformation, UnionTransformation
    >>> from flott.runtime.operator import Operator
    >>> two = PhysicalTransformation(id=1, name="Two", operator=Operator(), parallelism=2)
    >>> alone = PhysicalTransformation(id=2, name="Alone", operator=Operator(), parallelism_fixed=True)
    >>> both = UnionTransformation(id=3, name="Both", inputs=(alone, two))
    >>> [inherited_parallelism(step, 4) for step in (two, alone, both)]
    [2, 1, 2]
    """
    if not isinstance(step, PhysicalTransformation):
        found = [inherited_parallelism(above, default) for above in step.inputs]
        return found[0] if len(set(found)) == 1 else max(default if one is None else one for one in found)
    return 1 if step.parallelism_fixed else step.parallelism


def default_max_parallelism(parallelism: int) -> int:
    """Return the max parallelism of a step for which nobody chose one: room to grow by half.

    A power of two at or above one and a half times the parallelism, within 128 and 32768.

    >>> [default_max_parallelism(parallelism) for parallelism in (1, 85, 86, 171, 342, 32768)]
    [128, 128, 256, 256, 1024, 32768]
    """
    wanted = parallelism + parallelism // 2
    return min(max(1 << (wanted - 1).bit_length(), LOWEST_DEFAULT), HIGHEST)


def _parallelism(step: PhysicalTransformation, program: Program) -> int:
    if step.parallelism_fixed:
        if step.parallelism not in {None, 1}:
            raise GraphError(
                f"{step.label}: parallelism is {step.parallelism}, but this operator sees the "
                "stream as a whole and runs with parallelism 1 only; "
                "leave set_parallelism out, or split the stream with key_by first"
            )
        return 1
    if step.parallelism is not None:
        if step.parallelism < 1:
            raise GraphError(
                f"{step.label}: parallelism is {step.parallelism}; it must be 1 or more, as in set_parallelism(2)"
            )
        return step.parallelism
    if program.parallelism < 1:
        raise GraphError(
            f"{step.label}: it takes the environment's parallelism, which is "
            f"{program.parallelism}; it must be 1 or more, as in env.set_parallelism(2)"
        )
    return program.parallelism


def _max_parallelism(step: PhysicalTransformation, program: Program, parallelism: int) -> int:
    chosen, who = step.max_parallelism, "max parallelism"
    if chosen is None:
        if step.parallelism_fixed:
            return 1
        chosen, who = program.max_parallelism, "it takes the environment's max parallelism, which"
    if chosen is None:
        return default_max_parallelism(parallelism)
    if not 1 <= chosen <= HIGHEST:
        raise GraphError(
            f"{step.label}: {who} is {chosen}; "
            f"it must be between 1 and {HIGHEST}, as in set_max_parallelism({LOWEST_DEFAULT})"
        )
    return chosen
