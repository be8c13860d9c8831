"""Windows that grow together: which are open, and where each one's contents are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.runtime.windowing.assigner import MergingWindowAssigner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from flott.runtime.state.values import ValueState


class MergingWindowSet:
    """The open windows of the current key, each with its state window: the one under which its contents are kept.

    When windows merge, the result keeps the state window of one of them, so that most contents stay where they are.
    """

    def __init__(self, assigner: MergingWindowAssigner[Any, Any], state: ValueState) -> None:
        self._assigner = assigner
        self._state = state
        self._mapping: dict[Any, Any] = state.value() or {}
        self._changed = False

    def get_state_window(self, window: Any) -> Any:
        """Return under which window the contents of an open window are kept; None if it is not open."""
        return self._mapping.get(window)

    def retire_window(self, window: Any) -> None:
        """Close a window."""
        del self._changing()[window]

    def add_window(self, window: Any, merge: Callable[[Any, list[Any], Any, list[Any]], None]) -> Any:
        """Open a window and let it grow together with others; return what became of it.

        ``merge`` is called with the result, the windows that went into it, the state window that is kept, and the
        state windows whose contents must be brought there.
        """
        if window in self._mapping:
            return window
        if not self._mapping:
            self._changing()[window] = window
            return window
        groups = _Groups()
        self._assigner.merge_windows([*self._mapping, window], groups)
        result = window
        joined = False
        for merged, whole in groups.found:
            former = [one for one in merged if one != window]
            if len(former) < len(merged):
                joined = True
                result = whole
            self._join(former, whole, merge)
        if not joined:
            self._changing()[window] = window
        return result

    def _join(self, former: list[Any], whole: Any, merge: Callable[[Any, list[Any], Any, list[Any]], None]) -> None:
        if former == [whole]:
            return
        mapping = self._changing()
        state_windows = [mapping.pop(one) for one in former]
        kept = mapping[whole] = state_windows[0]
        merge(whole, former, kept, state_windows[1:])

    def _changing(self) -> dict[Any, Any]:
        if not self._changed:
            self._mapping = dict(self._mapping)
            self._changed = True
        return self._mapping

    def persist(self) -> None:
        """Write the windows back, if anything changed."""
        if self._changed:
            self._state.update(self._mapping or None)
            self._changed = False


class _Groups(MergingWindowAssigner.MergeCallback[Any]):
    """Writes down which windows grow together."""

    def __init__(self) -> None:
        self.found: list[tuple[list[Any], Any]] = []

    def merge(self, to_be_merged: Iterable[Any], merge_result: Any) -> None:
        self.found.append((list(to_be_merged), merge_result))
