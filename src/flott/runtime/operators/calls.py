"""Calls a method of a user's function for each record of a batch: the loops behind operators with several methods."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

from flott.errors import USER_CODE_RAISES
from flott.runtime import native
from flott.runtime.batch import Batch
from flott.runtime.operators.results import not_results
from flott.runtime.operators.selected_keys import selected_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flott.runtime.operators.results import Results
    from flott.runtime.operators.timed import TimedOperator
    from flott.runtime.operators.user_function import UserFunctionOperator
    from flott.runtime.state.key_scope import KeyScope


class CallContext(Protocol):
    """The second argument of every call; one object for all, which is told the timestamp of the record."""

    stamp: int | None


def call_for_each(operator: UserFunctionOperator, batch: Batch, call: Any, ctx: CallContext, out: Results) -> None:
    """Call ``call(value, ctx)`` for each record and hand the results on."""
    values = batch.values
    records = iter(values)
    try:
        if native.calls is not None:
            out.stamps = None if batch.stamps is None else []
            native.calls.call_for_each(
                records, None, batch.stamps, call, ctx, None, out.values, out.stamps, _take(out), out.copies
            )
        elif batch.stamps is None:
            _plain(records, call, ctx, out)
        else:
            _stamped(records, batch.stamps, call, ctx, out)
    except USER_CODE_RAISES as error:
        record = values[len(values) - records.__length_hint__() - 1]  # type: ignore[attr-defined]
        raise not_results(error, operator.who(), record) or operator.failure(error, record) from None
    out.emit(operator.output)


def call_for_each_keyed(
    operator: TimedOperator, batch: Batch, key_selector: Callable[[Any], Any], call: Any, ctx: CallContext
) -> None:
    """Call ``call(value, ctx)`` for each record, with the record's key set, and hand the results on."""
    keys = selected_keys(operator, key_selector, batch.values)
    parts = operator.backend.strides(len(keys))
    if len(parts) == 1:
        _call_keyed(operator, batch, keys, call, ctx)
    else:
        for part in parts:
            stamps = None if batch.stamps is None else batch.stamps[part]
            _call_keyed(operator, Batch(batch.values[part], stamps), keys[part], call, ctx)


def _call_keyed(operator: TimedOperator, batch: Batch, keys: list[Any], call: Any, ctx: CallContext) -> None:
    operator.backend.look_ahead(keys)
    values = batch.values
    records = iter(values)
    out = operator.results
    try:
        if native.calls is not None:
            out.stamps = None if batch.stamps is None else []
            native.calls.call_for_each(
                records, keys, batch.stamps, call, ctx, operator.scope, out.values, out.stamps, _take(out), out.copies
            )
        elif batch.stamps is None:
            _keyed(records, keys, call, ctx, operator.scope, out)
        else:
            _keyed_stamped(records, keys, batch.stamps, call, ctx, operator.scope, out)
    except USER_CODE_RAISES as error:
        record = values[len(values) - records.__length_hint__() - 1]  # type: ignore[attr-defined]
        raise not_results(error, operator.who(), record) or operator.failure(error, record) from None
    operator.scope.unset()
    out.emit(operator.output)


def _take(out: Results) -> Callable[[list[Any], Any], None]:
    """Return what adds results for the compiled loop, which has no frame: ``not_results`` finds ``produced`` here."""
    extend = out.extend

    def take(values: list[Any], produced: Any) -> None:
        extend(values, produced)

    return take


# Four loops rather than one with branches: this is what every record pays for where nothing is compiled.


def _plain(records: Iterator[Any], call: Any, ctx: CallContext, out: Results) -> None:
    out.stamps = None
    values, extend = out.values, out.extend
    ctx.stamp = None
    for value in records:
        produced = call(value, ctx)
        if produced is not None:
            extend(values, produced)


def _stamped(records: Iterator[Any], times: list[int | None], call: Any, ctx: CallContext, out: Results) -> None:
    values, extend = out.values, out.extend
    stamps: list[int | None] = []
    out.stamps = stamps
    stamp_one, stamp_all = stamps.append, stamps.extend
    before = 0
    for value, stamp in zip(records, times, strict=True):
        ctx.stamp = stamp
        produced = call(value, ctx)
        if produced is not None:
            extend(values, produced)
            after = len(values)
            if after == before + 1:
                stamp_one(stamp)
            else:
                stamp_all(repeat(stamp, after - before))
            before = after


def _keyed(records: Iterator[Any], keys: list[Any], call: Any, ctx: CallContext, scope: KeyScope, out: Results) -> None:
    out.stamps = None
    values, extend = out.values, out.extend
    ctx.stamp = None
    for value, scope.key in zip(records, keys, strict=True):
        produced = call(value, ctx)
        if produced is not None:
            extend(values, produced)


def _keyed_stamped(
    records: Iterator[Any],
    keys: list[Any],
    times: list[int | None],
    call: Any,
    ctx: CallContext,
    scope: KeyScope,
    out: Results,
) -> None:
    values, extend = out.values, out.extend
    stamps: list[int | None] = []
    out.stamps = stamps
    stamp_one, stamp_all = stamps.append, stamps.extend
    before = 0
    for value, scope.key, stamp in zip(records, keys, times, strict=True):
        ctx.stamp = stamp
        produced = call(value, ctx)
        if produced is not None:
            extend(values, produced)
            after = len(values)
            if after == before + 1:
                stamp_one(stamp)
            else:
                stamp_all(repeat(stamp, after - before))
            before = after
