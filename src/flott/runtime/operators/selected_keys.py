"""The keys of a batch's records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.canonical_keys import KeyTypeError
from flott.runtime.many_keys import canonical_keys
from flott.runtime.operators.wrong_key import wrong_key
from flott.runtime.quick_selector import quick_selector, select_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.runtime.operator import Operator


def selected_keys(operator: Operator, select: Callable[[Any], Any], values: list[Any]) -> list[Any]:
    """Return the key of each record in its canonical form; what fails, fails with an error that names the record."""
    keys = _selected(operator, select, values)
    try:
        return canonical_keys(keys)
    except KeyTypeError:
        for key, value in zip(keys, values, strict=True):
            wrong = wrong_key(operator.context.title, select, key, value)
            if wrong is not None:
                raise wrong from None
        raise


def _selected(operator: Operator, select: Callable[[Any], Any], values: list[Any]) -> list[Any]:
    quick = quick_selector(select)
    if quick is not select:
        try:
            return select_all(quick, values)
        except USER_CODE_RAISES:
            pass
    records = iter(values)
    try:
        return list(map(select, records))
    except USER_CODE_RAISES as error:
        raise operator.failed(error, records, values) from None
