"""Spark's Python daemon, made quiet: a worker whose task ended with the job leaves without a stack trace."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from pyspark import daemon

if TYPE_CHECKING:
    import socket

spark_worker = daemon.worker
GONE = 1


def worker(sock: socket.socket, authenticated: bool) -> int:
    """Run Spark's worker; when the other side has hung up, or on Ctrl-C, just leave."""
    # Spark makes output unbuffered: lines of several workers would come apart on the terminal.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)
    try:
        return spark_worker(sock, authenticated)
    except (BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        return GONE


if __name__ == "__main__":
    daemon.worker = worker
    daemon.manager()
