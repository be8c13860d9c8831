"""What still fails, with the line of the issue. Whoever merges a fix removes its rows: strict xfails ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.values.emitters import EMITTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

EMITTED = "issue 23, 2: emitted records change afterwards"
EMISSIONS = dict.fromkeys(EMITTERS, EMITTED)

ONE_KEY = "issue 23, 3: equal keys are not one key yet"
ONE_FORM = "issue 23, 3: which of several equal keys a function sees depends on cache, epoch and worker"
REFUSED = "issue 23, 3: a key without a canonical form is not refused yet"
KEYS = {
    **dict.fromkeys(["integer", "string", "bytes", "tuple", "enum"], ONE_FORM),
    **dict.fromkeys(["numpy integer", "numpy float", "NaN", "decimal", "numpy string", "datetime", "time"], ONE_KEY),
    **dict.fromkeys(["timedelta", "sequence", "set", "row", "dataclass"], ONE_KEY),
    **dict.fromkeys(["complex", "OwnEquality", "Folded"], REFUSED),
}


def known(names: Iterable[str], failures: dict[str, str]) -> list[Any]:
    """Return parameters for a test, those that are known to fail with their reason."""
    return [
        pytest.param(name, marks=pytest.mark.xfail(reason=failures[name], strict=True)) if name in failures else name
        for name in names
    ]
