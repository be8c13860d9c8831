"""Names as drawings show them: one line, not too long, nothing that would garble the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from flott.runtime.plan import ChainedOperator, EdgeSpec, EpochPlan

LIMIT = 64


def display_label(text: str, limit: int = LIMIT) -> str:
    r"""Return a text on one line, shortened in the middle, with control characters made visible.

    A user's name may hold a line break or an escape sequence; a terminal or an SVG reader would
    act on it or choke.

    >>> display_label("Map:\n to upper\x1b[2J")
    'Map: to upper�[2J'
    >>> display_label("a name that goes on and on", limit=11)
    'a nam…nd on'
    """
    flat = " ".join(text.split())
    visible = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in flat)
    if len(visible) <= limit:
        return visible
    kept = limit - 1
    return f"{visible[: kept - kept // 2]}…{visible[len(visible) - kept // 2 :]}"


def display_width(text: str) -> int:
    """Return how many columns of a fixed-width font a text takes.

    >>> display_width("Map"), display_width("窓")
    (3, 2)
    """
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def member_label(member: ChainedOperator) -> str:
    """Return an operator's name, with its uid and the side output it reads, if any."""
    name = display_label(member.name)
    uid = f" · uid {display_label(member.uid)}" if member.uid else ""
    tag = f"[{display_label(member.tag)}] " if member.tag is not None else ""
    return f"{tag}{name}{uid}"


def exchange_label(plan: EpochPlan, edge: EdgeSpec) -> str:
    """Return how records travel: the ship strategy, the side output, and which of several inputs."""
    tag = f"[{display_label(edge.tag)}] " if edge.tag is not None else ""
    inputs = plan.vertices[edge.target].chain[0].operator.inputs
    where = f" (input {edge.input_index + 1})" if inputs > 1 else ""
    return f"{tag}{edge.partitioner.name}{where}"
