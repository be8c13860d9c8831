"""The fields of records that a window operation needs, in columns, whatever form the records come in."""

from __future__ import annotations

from operator import itemgetter
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from flott.errors import USER_CODE_RAISES, FlottError
from flott.runtime.batch import MIN_TIMESTAMP
from flott.runtime.windowing.assigner import no_timestamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from flott.runtime.batch import Batch
    from flott.runtime.operator import Operator
    from flott.runtime.windowing.vectorised.plan import AggregatePlan

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "whole": (int, np.integer),
    "floating": (float, int, np.floating),
    "text": (str,),
    "boolean": (bool, np.bool_),
}


def _family(kind: Any) -> str:
    if pa.types.is_integer(kind):
        return "whole"
    if pa.types.is_floating(kind):
        return "floating"
    return "boolean" if pa.types.is_boolean(kind) else "text"


def in_one_piece(pieces: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the columns of several batches as those of one."""
    if len(pieces) == 1:
        return pieces[0]
    return {name: pa.concat_arrays([piece[name] for piece in pieces]) for name in pieces[0]}


class RecordColumns:
    """Reads times and fields from the batches of an operator; a value of the wrong type is an error that names it."""

    def __init__(self, plan: AggregatePlan, operator: Operator) -> None:
        self.plan = plan
        self.operator = operator
        self._fields = list(dict.fromkeys([plan.key, *plan.fields()]))
        names = list(plan.types)
        self._getters = {name: itemgetter(names.index(name)) for name in self._fields}

    def columns(self, batch: Batch) -> dict[str, Any]:
        """Return the fields that count, by name, as Arrow arrays."""
        return {name: self._column(batch, name) for name in self._fields}

    def times(self, batch: Batch) -> NDArray[np.int64]:
        """Return the timestamps of records, all of which must have one."""
        stamps = batch.times if batch.columnar else batch.stamps  # type: ignore[attr-defined]
        if stamps is not None and (batch.columnar or None not in stamps):
            times = np.asarray(stamps, np.int64)
            if int(times.min()) != MIN_TIMESTAMP:
                return times
        raise no_timestamp(self.plan.assigner, batch.values[0])

    def _column(self, batch: Batch, name: str) -> Any:
        kind = self.plan.types[name]
        if batch.columnar:
            column = batch.column(name)  # type: ignore[attr-defined]
            column = column if column.type == kind else column.cast(kind)
        else:
            records = iter(batch.values)
            try:
                values = list(map(self._getters[name], records))
            except USER_CODE_RAISES as error:  # whatever a record is
                raise self.operator.failed(error, records, batch.values) from None
            column = self._array(name, kind, values)
        if column.null_count and name in self.plan.required:
            record = batch.values[column.is_null().to_pylist().index(True)]
            raise FlottError(
                f"{self.operator.context.title}: field '{name}' of record {record!r:.200} is None; give it a value"
            )
        return column

    def _array(self, name: str, kind: Any, values: list[Any]) -> Any:
        """Return values as a column, if they are of its type: Arrow would cut 1.5 to 1 without a word."""
        allowed = PYTHON_TYPES[_family(kind)]
        for found in set(map(type, values)):
            if found is not NoneType and not issubclass(found, allowed):
                wrong = next(value for value in values if type(value) is found)
                raise self._misfit(name, kind, wrong)
        try:
            return pa.array(values, kind)
        except (pa.ArrowException, OverflowError):
            for value in values:
                try:
                    pa.array([value], kind)
                except (pa.ArrowException, OverflowError):
                    raise self._misfit(name, kind, value) from None
            raise

    def _misfit(self, name: str, kind: Any, value: Any) -> FlottError:
        return FlottError(
            f"{self.operator.context.title}: field '{name}' holds {value!r:.100}, which is not of its declared type "
            f"({kind} in Arrow). Declare the type that the values have, or key by a function instead of a field name, "
            f"so that records are looked at one by one."
        )
