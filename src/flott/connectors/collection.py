"""A Python collection as a source."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import cloudpickle

from flott.connectors.base import BATCH_SIZE, Source
from flott.connectors.index_range import IndexRangeEnumerator
from flott.errors import GraphError
from flott.runtime.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flott.common.typeinfo import TypeInformation
    from flott.runtime.source import SplitRead

ELEMENT_PREVIEW = 80


class CollectionSource(Source):
    """The elements of a collection, in order when the parallelism is 1.

    They are pickled once, in chunks: what the program does to its objects afterwards changes nothing here, and
    each read gets fresh objects.

    >>> source = CollectionSource(["a", "b", "c"])
    >>> [reads] = source.create_enumerator(parallelism=1).plan(1.0, now=0).reads
    >>> [batch.values for read in reads for batch in source.read(read)]
    [['a', 'b', 'c']]
    """

    fresh_batches: ClassVar[bool] = True

    def __init__(self, elements: Iterable[Any], type_info: TypeInformation | None = None) -> None:
        kept = list(elements)
        self.count = len(kept)
        self.type_info = type_info
        self._chunks = [_pickled(kept, start) for start in range(0, self.count, BATCH_SIZE)]

    def is_bounded(self) -> bool:
        return True

    def create_enumerator(self, parallelism: int) -> IndexRangeEnumerator:
        return IndexRangeEnumerator(0, self.count, parallelism)

    def read(self, read: SplitRead) -> Iterator[Batch]:
        position = read.start
        while position < read.end:
            chunk, skip = divmod(position, BATCH_SIZE)
            values = pickle.loads(self._chunks[chunk])[skip : skip + read.end - position]
            position += len(values)
            yield Batch(values)

    def get_produced_type(self) -> TypeInformation | None:
        return self.type_info


def _pickled(elements: list[Any], start: int) -> bytes:
    chunk = elements[start : start + BATCH_SIZE]
    try:
        # Not plain pickle: classes of the user's script must travel by value.
        return bytes(cloudpickle.dumps(chunk))
    except Exception as error:  # objects raise whatever they like when they can't be pickled
        for index, element in enumerate(chunk, start):
            _check_element(index, element)
        raise GraphError(f"the elements of a collection source can't be pickled: {error}") from error


def _check_element(index: int, element: Any) -> None:
    try:
        cloudpickle.dumps(element)
    except Exception as error:
        text = repr(element)
        if len(text) > ELEMENT_PREVIEW:
            text = f"{text[:ELEMENT_PREVIEW]}…"
        raise GraphError(
            f"element {index} of the collection, {text} (type {type(element).__qualname__}), can't be pickled and "
            f"so can't travel to a task: {error}. Put plain values in the collection, and open files, connections "
            f"and the like in the open() of a function."
        ) from error
