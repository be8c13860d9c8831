"""Master hooks: what an outside system does in the driver with every checkpoint, before tasks do their part."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from flott.runtime.operators.source import SourceOperator

if TYPE_CHECKING:
    from flott.runtime.plan import EpochPlan


class MasterHooks:
    """The hooks of a job: those of the sources that have a ``create_master_trigger_restore_hook()``."""

    def __init__(self, hooks: list[Any]) -> None:
        self.by_name = {hook.get_identifier(): hook for hook in hooks}
        self._states: dict[str, bytes] = {}

    @staticmethod
    def of(plan: EpochPlan) -> MasterHooks:
        """Make the hooks of a plan's sources."""
        heads = [vertex.chain[0].operator for vertex in plan.vertices]
        makers = [
            getattr(head.source, "create_master_trigger_restore_hook", None)
            for head in heads
            if isinstance(head, SourceOperator)
        ]
        return MasterHooks([make() for make in makers if make is not None])

    def trigger(self, checkpoint_id: int, timestamp: int) -> None:
        """Call all hooks; what they return goes into the checkpoint."""
        self._states = {
            name: pickle.dumps(hook.trigger_checkpoint(checkpoint_id, timestamp), protocol=5)
            for name, hook in self.by_name.items()
        }

    def states(self) -> dict[str, bytes]:
        """Return what the hooks returned for the checkpoint under way."""
        return dict(self._states)

    def restore(self, checkpoint_id: int | None, states: dict[str, bytes]) -> None:
        """Give the hooks back what a checkpoint holds of them; without a checkpoint they start anew."""
        for name, hook in self.by_name.items():
            if checkpoint_id is None:
                hook.reset()
            else:
                data = states.get(name)
                hook.restore_checkpoint(checkpoint_id, None if data is None else pickle.loads(data))
