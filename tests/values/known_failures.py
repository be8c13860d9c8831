"""What still fails, with the line of the issue. Whoever merges a fix removes its rows: strict xfails ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

EMISSIONS: dict[str, str] = {}

KEYS: dict[str, str] = {}


def known(names: Iterable[str], failures: dict[str, str]) -> list[Any]:
    """Return parameters for a test, those that are known to fail with their reason."""
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=failures[name], strict=True)) if name in failures else name
        for name in names
    ]
