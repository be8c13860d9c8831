"""Records of two streams in one, each with a mark that says which it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.datastream.functions import WindowFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flott.datastream.functions import RuntimeContext

__all__ = ["FIRST", "SECOND", "CoGroupOfWindow", "KeyOfTagged", "PairsOfWindow", "from_first", "from_second"]

FIRST, SECOND = 0, 1


def from_first(record: Any) -> tuple[int, Any]:
    """Mark a record of the first stream."""
    return FIRST, record


def from_second(record: Any) -> tuple[int, Any]:
    """Mark a record of the second stream."""
    return SECOND, record


class KeyOfTagged:
    """Takes the key of a marked record, as its stream does."""

    def __init__(self, of_first: Callable[[Any], Any], of_second: Callable[[Any], Any]) -> None:
        self.selectors = of_first, of_second

    def __call__(self, tagged: tuple[int, Any]) -> Any:
        return self.selectors[tagged[0]](tagged[1])


class CoGroupOfWindow(WindowFunction[Any, Any, Any, Any]):
    """Hands the records of a window to a CoGroupFunction, side by side."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def open(self, runtime_context: RuntimeContext) -> None:
        self.function.open(runtime_context)

    def close(self) -> None:
        self.function.close()

    def apply(self, key: Any, window: Any, inputs: Iterable[tuple[int, Any]]) -> Iterable[Any]:
        sides: tuple[list[Any], list[Any]] = ([], [])
        for side, record in inputs:
            sides[side].append(record)
        return self.of(*sides)

    def of(self, first: list[Any], second: list[Any]) -> Iterable[Any]:
        """Return what the records of both sides become."""
        return self.function.co_group(first, second) or ()


class PairsOfWindow(CoGroupOfWindow):
    """Hands each pair of records of a window to a JoinFunction, or to one of any number of results."""

    def __init__(self, function: Any, *, flat: bool) -> None:
        super().__init__(function)
        self.flat = flat

    def of(self, first: list[Any], second: list[Any]) -> Iterator[Any]:
        """Go over what each pair becomes."""
        join = self.function.join
        for left in first:
            for right in second:
                if self.flat:
                    yield from join(left, right) or ()
                else:
                    yield join(left, right)
