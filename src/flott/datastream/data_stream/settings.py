"""What can be set on any operator: its name, its uid, how parallel it is, how it is chained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.datastream.slot_sharing_group import SlotSharingGroup
from flott.errors import GraphError
from flott.graph.parallelism import HIGHEST
from flott.graph.transformations import ChainingStrategy, PhysicalTransformation

if TYPE_CHECKING:
    from typing_extensions import Self

    from flott.datastream.stream_execution_environment import StreamExecutionEnvironment
    from flott.graph.transformations import Transformation

__all__ = ["OperatorSettings"]

DEFAULT = -1
"""Stands for the default wherever a number can be set."""


class OperatorSettings:
    """The settings of the operator that a stream comes out of, or that a sink is.

    Every setter returns the stream or sink itself, so that calls can be chained.
    """

    _environment: StreamExecutionEnvironment
    _transformation: Transformation

    def get_name(self) -> str:
        """Returns the name of the operator."""
        return self._operator("get_name").name

    def name(self, name: str) -> Self:
        """Sets the name that plans, logs and metrics use."""
        self._operator("name").name = name
        return self

    def uid(self, uid: str) -> Self:
        """Sets an id that stays when the program changes: by it, a savepoint finds the operator's state again."""
        if not _is_text(uid):
            raise GraphError(f"uid({uid!r}): a uid is a text that is not empty, as in uid('score')")
        step = self._operator("uid")
        self._environment.steps.claim_uid(step, uid)
        return self

    def set_uid_hash(self, uid_hash: str) -> Self:
        """Sets the operator id itself, 32 hexadecimal digits: for state whose uid was lost."""
        self._operator("set_uid_hash").uid_hash = uid_hash
        return self

    def set_description(self, description: str) -> Self:
        """Sets a longer text for plans and the web page."""
        self._operator("set_description").description = description
        return self

    # -- how parallel ----------------------------------------------------------------------------

    def get_parallelism(self) -> int:
        """Returns how many subtasks the operator has."""
        step = self._transformation
        if isinstance(step, PhysicalTransformation) and step.parallelism_fixed:
            return 1
        return self._environment.get_parallelism() if step.parallelism is None else step.parallelism

    def set_parallelism(self, parallelism: int) -> Self:
        """Sets how many subtasks the operator has; -1 for the environment's default."""
        step = self._operator("set_parallelism")
        if not _is_number(parallelism) or (parallelism < 1 and parallelism != DEFAULT):
            raise GraphError(
                f"{step.label}: set_parallelism({parallelism!r}); a parallelism is 1 or more, or -1 for the default"
            )
        if step.parallelism_fixed and parallelism != 1:
            raise GraphError(
                f"{step.label}: set_parallelism({parallelism}); this operator sees the stream as a whole, "
                "so it runs with parallelism 1; set the parallelism of the operators after it"
            )
        _check_within(step, parallelism, step.max_parallelism)
        step.parallelism = None if parallelism == DEFAULT else parallelism
        return self

    def set_max_parallelism(self, max_parallelism: int) -> Self:
        """Sets the number of key groups, beyond which the operator can never be scaled."""
        step = self._operator("set_max_parallelism")
        if not _is_number(max_parallelism) or not 1 <= max_parallelism <= HIGHEST:
            raise GraphError(
                f"{step.label}: set_max_parallelism({max_parallelism!r}); a max parallelism is between 1 and {HIGHEST}"
            )
        if step.parallelism_fixed and max_parallelism != 1:
            raise GraphError(
                f"{step.label}: set_max_parallelism({max_parallelism}); this operator runs with parallelism 1 only"
            )
        _check_within(step, step.parallelism, max_parallelism)
        step.max_parallelism = max_parallelism
        return self

    def force_non_parallel(self) -> Self:
        """Lets the operator run as one subtask, now and forever."""
        step = self._operator("force_non_parallel")
        step.parallelism = step.max_parallelism = 1
        step.parallelism_fixed = True
        return self

    # -- how it shares a task with its neighbours --------------------------------------------------

    def set_buffer_timeout(self, timeout_millis: int) -> Self:
        """Sets how long results may wait before they are sent on, in milliseconds; -1 for the default."""
        if timeout_millis < DEFAULT:
            raise GraphError(f"set_buffer_timeout({timeout_millis}): give 0 ms or more, or -1 for the default")
        step = self._operator("set_buffer_timeout")
        step.buffer_timeout = None if timeout_millis == DEFAULT else timeout_millis
        return self

    def start_new_chain(self) -> Self:
        """Starts a new chain at this operator: it shares no task with the operators before it."""
        self._operator("start_new_chain").chaining = ChainingStrategy.HEAD
        return self

    def disable_chaining(self) -> Self:
        """Gives the operator a task of its own."""
        self._operator("disable_chaining").chaining = ChainingStrategy.NEVER
        return self

    def slot_sharing_group(self, slot_sharing_group: str | SlotSharingGroup) -> Self:
        """Puts the operator in a group; operators after it inherit it. Only within a group there is chaining."""
        step = self._operator("slot_sharing_group")
        if isinstance(slot_sharing_group, SlotSharingGroup):
            self._environment.register_slot_sharing_group(slot_sharing_group)
            step.slot_sharing_group = slot_sharing_group.get_name()
        else:
            step.slot_sharing_group = slot_sharing_group
        return self

    def get_id(self) -> int:
        """Returns the number of the step that this stream comes out of."""
        return self._transformation.id

    def get_transformation(self) -> Transformation:
        """Returns the step that this stream comes out of."""
        return self._transformation

    def _operator(self, setting: str) -> PhysicalTransformation:
        """Return the operator that a setting is about."""
        step = self._transformation
        if not isinstance(step, PhysicalTransformation):
            raise GraphError(
                f"{setting}(...): {step.label} is no operator but only says where records go; "
                f"call {setting}(...) after the next operation, such as map(...)"
            )
        return step


def _check_within(step: PhysicalTransformation, parallelism: int | None, max_parallelism: int | None) -> None:
    if parallelism is not None and max_parallelism is not None and parallelism > max_parallelism:
        raise GraphError(
            f"{step.label}: parallelism {parallelism} is above max parallelism {max_parallelism}; "
            f"lower it with set_parallelism({max_parallelism}), or raise the limit first"
        )


def _is_number(candidate: object) -> bool:
    return isinstance(candidate, int) and not isinstance(candidate, bool)


def _is_text(candidate: object) -> bool:
    return isinstance(candidate, str) and candidate != ""
