"""User functions that fill the state of a savepoint with data that is there already."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from flott.datastream.functions import CheckpointedFunction, Function

if TYPE_CHECKING:
    from flott.datastream.state import BroadcastState, MapStateDescriptor
    from flott.datastream.timerservice import TimerService

__all__ = ["BroadcastStateBootstrapFunction", "KeyedStateBootstrapFunction", "StateBootstrapFunction"]


class KeyedStateBootstrapFunction(Function):
    """Fills the keyed state of an operator: declares states in ``open`` as the job does, and writes them.

    >>> from flott.common import Types
    >>> from flott.datastream.state import ValueStateDescriptor
    >>> class Balances(KeyedStateBootstrapFunction):
    ...     def open(self, runtime_context):
    ...         self.balance = runtime_context.get_state(ValueStateDescriptor("balance", Types.DOUBLE()))
    ...
    ...     def process_element(self, value, ctx):
    ...         self.balance.update(value["balance"])
    """

    class Context(ABC):
        """What a call knows besides the element."""

        @abstractmethod
        def get_current_key(self) -> Any:
            """Returns the key of the element."""

        @abstractmethod
        def timer_service(self) -> TimerService:
            """Returns the service at which timers of the key are registered."""

    @abstractmethod
    def process_element(self, value: Any, ctx: Context) -> None:
        """Writes what the state should hold because of an element."""


class StateBootstrapFunction(Function, CheckpointedFunction):
    """Fills the operator state of an operator: even-split and union lists.

    >>> from flott.common import Types
    >>> from flott.datastream.state import ListStateDescriptor
    >>> class Totals(StateBootstrapFunction):
    ...     def initialize_state(self, context):
    ...         descriptor = ListStateDescriptor("totals", Types.LONG())
    ...         self.totals = context.get_operator_state_store().get_list_state(descriptor)
    ...
    ...     def process_element(self, value, ctx):
    ...         self.totals.add(value)
    ...
    ...     def snapshot_state(self, context):
    ...         pass
    """

    @abstractmethod
    def process_element(self, value: Any, ctx: Any) -> None:
        """Takes an element in; what is written to state here or in ``snapshot_state`` is kept."""


class BroadcastStateBootstrapFunction(Function):
    """Fills the broadcast state of an operator.

    >>> from flott.common import Types
    >>> from flott.datastream.state import MapStateDescriptor
    >>> RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())
    >>> class Rules(BroadcastStateBootstrapFunction):
    ...     def process_element(self, value, ctx):
    ...         ctx.get_broadcast_state(RULES).put(value["name"], value["limit"])
    """

    class Context(ABC):
        """What a call knows besides the element."""

        @abstractmethod
        def get_broadcast_state(self, state_descriptor: MapStateDescriptor) -> BroadcastState[Any, Any]:
            """Returns the state that a descriptor describes."""

    @abstractmethod
    def process_element(self, value: Any, ctx: Context) -> None:
        """Writes what the state should hold because of an element."""
