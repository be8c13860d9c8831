"""Descriptors: the name, the type and the kind of a state, which a runtime context makes handles of."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any

from flott.common.typeinfo import TypeInformation, Types
from flott.datastream.functions.aggregates import AggregateFunction, ReduceFunction
from flott.datastream.functions.wrappers import ReduceFunctionWrapper

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.datastream.state.ttl import StateTtlConfig

__all__ = [
    "AggregatingStateDescriptor",
    "ListStateDescriptor",
    "MapStateDescriptor",
    "ReducingStateDescriptor",
    "StateDescriptor",
    "ValueStateDescriptor",
]


class StateDescriptor(ABC):  # noqa: B024 - never made by itself, but nothing is left to override
    """The name and the type of a state. The name is how a savepoint finds it again: keep it."""

    def __init__(self, name: str, type_info: TypeInformation) -> None:
        if not _is_name(name):
            raise TypeError(f"a state needs a name, such as 'total'; {name!r} is none")
        self.name = name
        self.type_info = type_info
        self.ttl_config: StateTtlConfig | None = None
        """How long the state lives; None: for ever."""

    def get_name(self) -> str:
        """Returns the name of the state."""
        return self.name

    def get_type(self) -> TypeInformation:
        """Returns the type of what is stored."""
        return self.type_info

    def enable_time_to_live(self, ttl_config: StateTtlConfig) -> None:
        """Lets the state of a key expire some time after it was last touched."""
        self.ttl_config = ttl_config if ttl_config.is_enabled() else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self.name}', {self.type_info!r})"


class ValueStateDescriptor(StateDescriptor):
    """Describes one value per key.

    >>> ValueStateDescriptor("total", Types.LONG())
    ValueStateDescriptor('total', Long)
    """

    def __init__(self, name: str, value_type_info: TypeInformation | None = None) -> None:
        super().__init__(name, _type(name, value_type_info))


class ListStateDescriptor(StateDescriptor):
    """Describes a list per key.

    >>> ListStateDescriptor("seen", Types.STRING())
    ListStateDescriptor('seen', ListTypeInfo<String>)
    """

    def __init__(self, name: str, elem_type_info: TypeInformation | None = None) -> None:
        super().__init__(name, Types.LIST(_type(name, elem_type_info)))


class MapStateDescriptor(StateDescriptor):
    """Describes a map per key, or broadcast state.

    >>> MapStateDescriptor("rules", Types.STRING(), Types.DOUBLE())
    MapStateDescriptor('rules', MapTypeInfo<String, Double>)
    """

    def __init__(
        self,
        name: str,
        key_type_info: TypeInformation | None = None,
        value_type_info: TypeInformation | None = None,
    ) -> None:
        super().__init__(name, Types.MAP(_type(name, key_type_info), _type(name, value_type_info)))


class ReducingStateDescriptor(StateDescriptor):
    """Describes one value per key, into which added ones are reduced.

    >>> largest = ReducingStateDescriptor("largest", max, Types.LONG())
    >>> largest.get_reduce_function().reduce(3, 5)
    5
    """

    def __init__(
        self,
        name: str,
        reduce_function: ReduceFunction | Callable[[Any, Any], Any],
        type_info: TypeInformation | None = None,
    ) -> None:
        super().__init__(name, _type(name, type_info))
        if not isinstance(reduce_function, ReduceFunction) and not _is_plain_callable(reduce_function):
            raise TypeError(
                f"state '{name}': {reduce_function!r} is no reduce function; give a ReduceFunction "
                "object or a callable of two values, such as lambda a, b: a + b"
            )
        self._reduce_function = (
            reduce_function if isinstance(reduce_function, ReduceFunction) else ReduceFunctionWrapper(reduce_function)
        )

    def get_reduce_function(self) -> ReduceFunction | ReduceFunctionWrapper:
        """Returns the function that makes one value of two."""
        return self._reduce_function


class AggregatingStateDescriptor(StateDescriptor):
    """Describes one accumulator per key, into which values are added."""

    def __init__(
        self, name: str, agg_function: AggregateFunction, state_type_info: TypeInformation | None = None
    ) -> None:
        super().__init__(name, _type(name, state_type_info))
        if not isinstance(agg_function, AggregateFunction):
            raise TypeError(
                f"state '{name}': {agg_function!r} is no aggregate function; give an object of a "
                "class derived from AggregateFunction"
            )
        self._agg_function = agg_function

    def get_agg_function(self) -> AggregateFunction:
        """Returns the function that keeps the accumulator."""
        return self._agg_function


def _type(state: str, type_info: TypeInformation | None) -> TypeInformation:
    if type_info is None:
        return Types.PICKLED_BYTE_ARRAY()
    if not isinstance(type_info, TypeInformation):
        raise TypeError(
            f"state '{state}': {type_info!r} is no type information; "
            "give one made by Types, such as Types.LONG() (with parentheses)"
        )
    return type_info


def _is_plain_callable(candidate: object) -> bool:
    # A class is callable too, but calling it makes an object and reduces nothing.
    return callable(candidate) and not isinstance(candidate, type)


def _is_name(candidate: object) -> bool:
    return isinstance(candidate, str) and candidate != ""
