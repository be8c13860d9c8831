"""GroupPattern: a whole pattern as one stage of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from flott.cep.errors import MalformedPatternError
from flott.cep.pattern import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Self

    from flott.cep.quantifier import ConsumingStrategy
    from flott.cep.skip_strategy import AfterMatchSkipStrategy

__all__ = ["GroupPattern"]


class GroupPattern(Pattern):
    """A group: repeated, optional, or placed as one stage, while its own stages say what events it takes.

    >>> pair = Pattern.begin("a").where(lambda event: event == "a").followed_by("b").where(lambda event: event == "b")
    >>> Pattern.begin(pair).times(2).next("end")
    begin(begin(a) followed_by(b)){2} next(end)
    """

    def __init__(
        self,
        raw_pattern: Pattern,
        previous: Pattern | None,
        strategy: ConsumingStrategy,
        after_match_skip_strategy: AfterMatchSkipStrategy | None = None,
    ) -> None:
        self._raw = raw_pattern
        super().__init__("GroupPattern", previous, strategy, after_match_skip_strategy)

    def get_raw_pattern(self) -> Pattern:
        """Returns the last stage of the pattern inside."""
        return self._raw

    def may_be_absent(self) -> bool:
        """Says whether a match may have no event of this group."""
        return super().may_be_absent() or all(stage.may_be_absent() for stage in self._raw.stages())

    def where(self, condition: Any) -> Self:
        """Refuses: the stages inside have conditions, the group has none."""
        self._refuse("where")

    def or_where(self, condition: Any) -> Self:
        """Refuses: the stages inside have conditions, the group has none."""
        self._refuse("or_where")

    def subtype(self, subtype_class: type) -> Self:
        """Refuses: the stages inside have conditions, the group has none."""
        self._refuse("subtype")

    def _refuse(self, call: str) -> NoReturn:
        raise MalformedPatternError(f"{call}(...) is for single stages; put the condition on a stage inside the group")

    def _check_repeatable(self, call: str) -> None:
        if call == "greedy()":
            raise MalformedPatternError("a group can't be greedy; make the stages inside it greedy")
        super()._check_repeatable(call)

    def _own_names(self) -> Iterator[str]:
        yield from self._raw.names()
