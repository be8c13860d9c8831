"""Lets what an operator emits have the shape that its declared type promises."""

from __future__ import annotations

from dataclasses import dataclass
from operator import length_hint
from typing import TYPE_CHECKING, Any

from flott.datastream._typed_values import all_fit, can_misfit, misfit, shape_of
from flott.errors import FlottError
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation

__all__ = ["typed_records"]


def typed_records(type_info: TypeInformation) -> TypedBatches | None:
    """Return what gives records the shape of a type; None for one that anything has."""
    return TypedBatches(type_info) if can_misfit(type_info) else None


@dataclass(frozen=True, slots=True)
class TypedBatches:
    """The type of records, on its way to the worker; the shape is worked out there."""

    type_info: TypeInformation

    def shaper(self, title: str) -> Callable[[Batch], Batch]:
        """Return what gives batches the shape of the type."""
        return Shaper(title, self.type_info).shaped


class Shaper:
    """Gives values the shape of a type.

    Of each batch, the first value is looked at closer: whoever declared a number and returns text learns it here, not
    in an operator further on. To look at all would cost as much as many functions do.
    """

    def __init__(self, title: str, type_info: TypeInformation) -> None:
        self.title = title
        self.type_info = type_info
        self.shape: Callable[[Any], Any] | None = shape_of(type_info)
        self.all_fit = all_fit(type_info)

    def shaped(self, batch: Batch) -> Batch:
        """Return records, each in its shape; those in columns have it already."""
        if batch.columnar:
            return batch
        if self.shape is not None and not (self.all_fit is not None and self.all_fit(batch.values)):
            batch = Batch(self._shaped(self.shape, batch.values), batch.stamps)
        if len(batch):
            wrong = misfit(batch.values[0], self.type_info)
            if wrong is not None:
                raise self._failure(batch.values[0], wrong)
        return batch

    def _shaped(self, shape: Callable[[Any], Any], values: list[Any]) -> list[Any]:
        records = iter(values)
        try:
            return list(map(shape, records))
        except (ValueError, TypeError) as error:
            raise self._failure(values[len(values) - length_hint(records) - 1], str(error)) from None

    def _failure(self, value: Any, wrong: str) -> FlottError:
        return FlottError(
            f"{self.title}: its result {value!r:.200} is not what was declared: {wrong}. Return such values, or "
            "declare output_type=... as they are"
        )
