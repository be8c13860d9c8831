"""The steps of the program that is being built: numbered, each uid once, each side output with one type."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, ClassVar

from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.datastream.data_stream.cached import Cache
    from flott.graph.transformations import PhysicalTransformation
    from flott.runtime.output_tag import OutputTag

__all__ = ["Steps"]


class Steps:
    """Shared by an environment and all its streams."""

    unexecuted: ClassVar[set[int]] = set()
    """Numbers of the programs of this process that have operators and were not executed yet."""
    _numbers: ClassVar[Iterator[int]] = count(1)

    def __init__(self) -> None:
        self._number = next(self._numbers)
        self.registered: list[PhysicalTransformation] = []
        """The operators of the program; a source is found through whatever reads it."""
        self._ids = count(1)
        self._uids: dict[str, PhysicalTransformation] = {}
        self.caches: dict[PhysicalTransformation, Cache] = {}
        """The steps whose records are kept."""
        self._side_outputs: dict[tuple[PhysicalTransformation, str], OutputTag] = {}

    def next_id(self) -> int:
        """Return the number of a new step."""
        return next(self._ids)

    def register(self, step: PhysicalTransformation) -> None:
        """Make an operator part of the program."""
        self.registered.append(step)
        self.unexecuted.add(self._number)

    def claim_uid(self, step: PhysicalTransformation, uid: str) -> None:
        """Give a step its uid; each uid can have only one owner."""
        owner = self._uids.get(uid, step)
        if owner is not step:
            raise GraphError(
                f"uid('{uid}'): {owner.label} has this uid already; each operator keeps state of its own, "
                f"so give each its own, as in uid('{uid}-2')"
            )
        if step.uid is not None:
            self._uids.pop(step.uid, None)
        self._uids[uid] = step
        step.uid = uid

    def claim_side_output(self, step: PhysicalTransformation, tag: OutputTag) -> None:
        """Take a side output of a step; whoever takes it again must mean the same type."""
        known = self._side_outputs.setdefault((step, tag.tag_id), tag)
        if known.type_info != tag.type_info:
            raise GraphError(
                f"get_side_output(...): side output '{tag.tag_id}' of {step.label} was taken with type "
                f"{known.type_info!r} and now with {tag.type_info!r}; a tag stands for one type"
            )

    def clear(self) -> None:
        """Start a new program; streams of the old one may be used again, with the uids they have."""
        self.registered.clear()
        self.unexecuted.discard(self._number)
