"""Plans as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.table.physical.step import Step
    from flott.table.plan.nodes import Node


def explained(plans: Sequence[tuple[Node, Node, Step]], notes: Sequence[str] = (), *, changes: bool = False) -> str:
    """Return the plan as it was written, the optimised one, and what runs, for each of some queries."""
    parts = [
        ("Abstract Syntax Tree", [_tree(plan, _logical) for plan, _, _ in plans]),
        ("Optimized Logical Plan", [_tree(best, _logical) for _, best, _ in plans]),
        ("Physical Plan", [_tree(step, _with_changes if changes else _physical) for _, _, step in plans]),
    ]
    if notes:
        parts.append(("Batch Mode", list(notes)))
    return "\n".join(f"== {title} ==\n" + "\n".join(texts) for title, texts in parts)


def _logical(node: Any) -> str:
    return f"{type(node).__name__}({node.detail})"


def _physical(step: Any) -> str:
    keys = [exchange.key_selector for exchange in step.exchanges if exchange is not None]
    exchanged = ", exchange=[hash]" if keys else ""
    return f"{step.name}({step.detail}{exchanged})"


def _with_changes(step: Any) -> str:
    return f"{_physical(step)[:-1]}, changelogMode=[{step.changes}])"


def _tree(node: Any, write: Any, depth: int = 0) -> str:
    text = f"{'   ' * (depth - 1)}{'+- ' if depth else ''}{write(node)}\n"
    return text + "".join(_tree(one, write, depth + 1) for one in node.inputs)
