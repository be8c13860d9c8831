"""The base of operators that hold a user's function: opened with a RuntimeContext, closed at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flott.errors import USER_CODE_RAISES
from flott.runtime.context import RuntimeContext
from flott.runtime.operator import Operator
from flott.runtime.operators.checkpointed import Checkpointing, checkpointed_part, functions_inside

if TYPE_CHECKING:
    from flott.runtime.operator import Lifecycle
    from flott.runtime.reports import Notice


class UserFunctionOperator(Operator):
    """An operator around one user function (an object with ``open`` and ``close``)."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def lifecycle(self) -> Lifecycle:
        return self if checkpointed_part(self.function) is None else Checkpointing(self)

    def open(self) -> None:
        try:
            self.function.open(RuntimeContext(self.context))
        except USER_CODE_RAISES as error:
            raise self.failure(error, "none: it failed in open()") from None

    def close(self) -> None:
        self.function.close()

    def notify(self, notice: Notice) -> None:
        name = "notify_checkpoint_complete" if notice.completed else "notify_checkpoint_aborted"
        for function in functions_inside(self.function):
            listen = getattr(function, name, None)
            if listen is not None:
                try:
                    listen(notice.checkpoint)
                except USER_CODE_RAISES as error:
                    raise self.failure(error, f"none: it failed in {name}()") from None
                return

    def describe_function(self) -> str:
        """Name the user's function as error messages do."""
        return type(self.function).__name__

    def who(self) -> str:
        """Name the operator and the user's function as error messages do."""
        return f"{self.context.title}, {self.describe_function()}"
