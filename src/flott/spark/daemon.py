"""Spark's Python daemon: quiet, and with everything imported that its workers need.

A worker is a copy of the daemon. What was imported before is there at once, in memory that all of them share.
"""

from __future__ import annotations

import io
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

GONE = 1

NEEDED = ("pyspark.worker", "pandas", "pyarrow.compute", "flott.spark.worker")
"""What every worker imports sooner or later; Arrow wants pandas as soon as it makes an array."""


def without_archives(path: list[str]) -> list[str]:
    """Return a search path without the archives of Spark's Python code, where that code is installed next to them.

    Spark puts them first. What comes out of an archive is compiled in every process.
    """

    def is_installed(entry: str) -> bool:
        archive = Path(entry)
        lib, site = archive.parent, archive.parents[3] if len(archive.parents) > 3 else archive  # noqa: PLR2004
        return archive.suffix == ".zip" and lib == site / "pyspark" / "python" / "lib" and str(site) in path

    return [entry for entry in path if not is_installed(entry)]


def quiet(spark_worker: Callable[[socket.socket, bool], int]) -> Callable[[socket.socket, bool], int]:
    """Return Spark's worker without the stack trace when its task ended with the job, or on Ctrl-C."""

    def worker(sock: socket.socket, authenticated: bool) -> int:
        # Spark makes output unbuffered: lines of several workers would come apart on the terminal.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(line_buffering=True, write_through=False)
        try:
            return spark_worker(sock, authenticated)
        except (BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
            return GONE

    return worker


def main() -> None:
    """Make workers as Spark asks for them, until it hangs up."""
    sys.path[:] = without_archives(sys.path)
    for name in NEEDED:
        import_module(name)
    daemon = import_module("pyspark.daemon")
    daemon.worker = quiet(daemon.worker)  # type: ignore[attr-defined]
    daemon.manager()


if __name__ == "__main__":
    main()
