"""Reports whether the compiled modules are those of the sources: after a merge or a rebase they may be older."""

from __future__ import annotations

from pathlib import Path

NATIVE = Path(__file__).parents[1] / "src/flott/runtime/native"


def outdated(folder: Path = NATIVE) -> list[str]:
    """Return the names of the modules in a folder that were compiled before their source was changed."""
    compiled = {path.name.partition(".")[0]: path for path in (*folder.glob("*.so"), *folder.glob("*.pyd"))}
    shared = max((path.stat().st_mtime for path in folder.glob("*.pxd")), default=0.0)
    return sorted(
        source.stem
        for source in folder.glob("*.pyx")
        if source.stem in compiled and compiled[source.stem].stat().st_mtime < max(source.stat().st_mtime, shared)
    )
