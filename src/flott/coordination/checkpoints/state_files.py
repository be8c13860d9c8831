"""Which state files are still needed, by the running job or by a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.runtime.state.lineage import StateFile


class StateFiles:
    """Counts who holds each file: a version of the job, a checkpoint. What nobody holds can go.

    >>> files = StateFiles()
    >>> files.hold(["a", "b"]), files.hold(["b"])
    (None, None)
    >>> files.release(["a", "b"]), files.release(["b"])
    (['a'], ['b'])
    """

    def __init__(self) -> None:
        self._holders: dict[str, int] = {}

    def hold(self, names: Iterable[str]) -> None:
        """Keep files for one more holder."""
        for name in names:
            self._holders[name] = self._holders.get(name, 0) + 1

    def release(self, names: Iterable[str]) -> list[str]:
        """Let go of files; return those that nobody holds any more."""
        free = []
        for name in names:
            left = self._holders[name] - 1
            if left:
                self._holders[name] = left
            else:
                del self._holders[name]
                free.append(name)
        return free

    def held(self) -> set[str]:
        """Return the files that somebody holds."""
        return set(self._holders)


def own_names(files: Iterable[StateFile]) -> set[str]:
    """Return the names of the files that the job wrote itself."""
    return {file.name for file in files if file.origin is None}
