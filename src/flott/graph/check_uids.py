"""Checks that every operator can be told from every other when state is restored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flott.graph.transformations import PhysicalTransformation

UID_HASH = re.compile("[0-9a-fA-F]{32}")


def check_uids(steps: Iterable[PhysicalTransformation], *, auto_generated: bool) -> None:
    """Raise unless uids and uid hashes are unique, well formed and, if asked for, there.

    >>> from flott.graph.transformations import PhysicalTransformation
    >>> from flott.runtime.operator import Operator
    >>> score = PhysicalTransformation(id=1, name="score", operator=Operator(), uid="s")
    >>> total = PhysicalTransformation(id=2, name="total", operator=Operator(), uid="s")
    >>> check_uids([score, total], auto_generated=True)
    Traceback (most recent call last):
    flott.errors.GraphError: operator 'total' (uid=s): operator 'score' (uid=s) has this uid ...
    """
    by_uid: dict[str, PhysicalTransformation] = {}
    by_hash: dict[str, PhysicalTransformation] = {}
    for step in steps:
        if step.uid_hash is not None:
            if not UID_HASH.fullmatch(step.uid_hash):
                raise GraphError(
                    f"{step.label}: uid hash '{step.uid_hash}' is not an operator id; it has 32 "
                    "hexadecimal digits, as in set_uid_hash('0123456789abcdef0123456789abcdef')"
                )
            other = by_hash.setdefault(step.uid_hash.lower(), step)
            if other is not step:
                raise GraphError(
                    f"{step.label}: {other.label} has uid hash {step.uid_hash} too; "
                    "each operator keeps state of its own, so give each its own set_uid_hash(...)"
                )
        if step.uid is not None:
            other = by_uid.setdefault(step.uid, step)
            if other is not step:
                raise GraphError(
                    f"{step.label}: {other.label} has this uid too; each operator keeps state of "
                    f"its own, so give each its own, as in uid('{step.uid}-2')"
                )
        elif step.uid_hash is None and not auto_generated:
            raise GraphError(
                f"{step.label}: it needs a uid, since auto-generated uids are disabled; "
                "add uid('...') after it, or call env.get_config().enable_auto_generated_uids()"
            )
