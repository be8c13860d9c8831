"""Named places where tests make a process die, to see that nothing is lost and nothing doubled.

In production no point is armed, and reaching one costs the look-up of a name in an empty dict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

POINTS = (
    "delta.before",
    "delta.after",
    "sink.before-prepare",
    "sink.after-prepare",
    "report.before",
    "epoch.accepted",
    "metadata.before",
    "metadata.after",
    "commit.before",
    "commit.after",
    "notify.before",
    "notify.after",
)
"""All points, in the order in which an epoch that ends with a checkpoint passes them."""

END_POINTS = ("end.recorded", "end.checkpoints-removed", "end.record-closed")
"""Those that a job passes at its end."""

ARMED: dict[str, Callable[[], None]] = {}
"""What happens at a point; for tests."""


def reach(point: str) -> None:
    """Pass a point: nothing happens unless it is armed."""
    act = ARMED.get(point)
    if act is not None:
        act()
