"""Waiting for what a running job does, for as long as it takes on a busy machine."""

from __future__ import annotations

import threading
import time

PATIENCE = 300


def wait_until(condition, told):
    """Wait for a condition; show something when it does not come true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"it did not happen; there is {told!r:.500}"
        threading.Event().wait(0.05)
