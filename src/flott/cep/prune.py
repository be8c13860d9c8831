"""What a found match puts an end to: the skip strategies at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.cep.errors import CepError
from flott.cep.match_queue import NEVER_STARTED, START, keep
from flott.cep.skip_strategy import SkipKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.cep.match_queue import PartialMatch
    from flott.cep.nfa import Nfa
    from flott.cep.run import Run
    from flott.cep.shared_buffer import NodeId

__all__ = ["make_prune"]


def make_prune(nfa: Nfa) -> Callable[[list[NodeId], Run], None]:
    """Return what ends partial matches, given the events of a found match."""
    skip = nfa.skip
    stage = nfa.stages.index(skip.pattern_name) if skip.pattern_name in nfa.stages else -1

    def nothing(_path: list[NodeId], _run: Run) -> None:
        pass

    def to_next(path: list[NodeId], run: Run) -> None:
        _end_before(run, min(number for number, _ in path) + 1)

    def past_last(path: list[NodeId], run: Run) -> None:
        _end_before(run, max(number for number, _ in path) + 1)

    def to_stage(path: list[NodeId], run: Run) -> None:
        numbers = [number for number, of in path if of == stage]
        if not numbers:
            if skip.throws_on_miss:
                raise CepError(f"{skip!r}: the match that was found has no event of stage '{skip.pattern_name}'")
            return
        target = numbers[0] if skip.kind is SkipKind.TO_FIRST else numbers[-1]
        if skip.throws_on_miss and target == path[0][0]:
            raise CepError(
                f"{skip!r}: that is the first event of the match, so the search would start where it started before"
            )
        _end_before(run, target)

    return {
        SkipKind.NO_SKIP: nothing,
        SkipKind.TO_NEXT: to_next,
        SkipKind.PAST_LAST_EVENT: past_last,
        SkipKind.TO_FIRST: to_stage,
        SkipKind.TO_LAST: to_stage,
    }[skip.kind]


def _end_before(run: Run, number: int) -> None:
    """End the partial and the waiting matches that started before an event."""

    def stays(match: PartialMatch) -> bool:
        if match[START] >= number or match[START] == NEVER_STARTED:
            return True
        run.buffer.release(match[2], match[3])
        return False

    keep(run.partials, stays)
    keep(run.completed, stays)
