"""What a user's function yields, on its way to the main output and to the side outputs."""

from __future__ import annotations

from itertools import compress
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

from flott.errors import FlottError
from flott.runtime.batch import Batch
from flott.runtime.output_tag import OutputTag

if TYPE_CHECKING:
    from flott.runtime.emission import Emission
    from flott.runtime.operator import Output

Stamps = list["int | None"]


class Results:
    """Gathers results. ``values`` and ``stamps`` may be filled from outside; a pair of tag and value goes sideways."""

    __slots__ = ("copies", "emitted", "extend", "sides", "stamps", "values")

    def __init__(self, emission: Emission) -> None:
        self.emitted, self.extend, self.copies = emission.one, emission.extend, emission.copies
        """Whoever fills ``values`` does so by these."""
        self.values: list[Any] = []
        self.stamps: Stamps | None = []
        """None when no result has a timestamp."""
        self.sides: dict[str, tuple[list[Any], Stamps]] = {}

    def add_side(self, tag: Any, value: Any, stamp: int | None) -> None:
        """Add a value to a side output."""
        if not isinstance(tag, OutputTag):
            message = f"ctx.output was given {tag!r} as a tag; give the OutputTag of the side output, then the value"
            raise FlottError(message)
        self._add_emitted(tag, self.emitted(value), stamp)

    def _add_emitted(self, tag: OutputTag, value: Any, stamp: int | None) -> None:
        values, stamps = self.sides.setdefault(tag.tag_id, ([], []))
        values.append(value)
        stamps.append(stamp)

    def emit(self, output: Output) -> None:
        """Hand all on, and be empty again."""
        values, stamps = self.values, self.stamps
        self.stamps = []
        if values:
            self.values = []
            if OutputTag.in_use and tuple in set(map(type, values)):
                values, stamps = self._sort_out(values, stamps)
            if values:
                output.emit(Batch(values, stamps))
        if self.sides:
            sides, self.sides = self.sides, {}
            for tag, (side_values, side_stamps) in sides.items():
                output.emit_side(tag, Batch(side_values, side_stamps))

    def _sort_out(self, values: list[Any], stamps: Stamps | None) -> tuple[list[Any], Stamps | None]:
        """Take out what is tagged for a side output."""
        main = [
            type(value) is not tuple or len(value) != 2 or not isinstance(value[0], OutputTag)  # noqa: PLR2004
            for value in values
        ]
        if all(main):
            return values, stamps
        for position, stays in enumerate(main):
            if not stays:
                tag, value = values[position]
                self._add_emitted(tag, value, None if stamps is None else stamps[position])
        return list(compress(values, main)), None if stamps is None else list(compress(stamps, main))


def not_results(error: BaseException, who: str, record: Any) -> FlottError | None:
    """Return the error to raise if a user's function returned something that holds no results, else None.

    Then it was our own loop that raised, over what it calls ``produced``.
    """
    frames = [frame for frame, _ in walk_tb(error.__traceback__) if not frame.f_code.co_filename.endswith(".pyx")]
    produced = frames[-1].f_locals.get("produced") if frames else None
    if produced is None or hasattr(produced, "__iter__") or not isinstance(error, TypeError):
        return None
    message = (
        f"{who} returned {produced!r:.100} ({type(produced).__name__}) for record {record!r:.200}. "
        f"Yield each result, or return a list of results, or nothing."
    )
    return FlottError(message)
