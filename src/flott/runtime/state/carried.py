"""What a subtask hands from one epoch to the next, beside its keyed state."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flott.errors import StateStoreError

if TYPE_CHECKING:
    from flott.runtime.state.schemas import StoredStates

VERSION = 2
"""Of the form in which it is in checkpoints. Version 0.1.0 wrote a dict, see ``of_first_version``."""
OUTPUT = "output/"
"""In the first version, before the id of the operator whose output it was."""


@dataclass(slots=True)
class Carried:
    """What a subtask carries over. The driver keeps it as bytes, and puts it into checkpoints.

    >>> Carried.unpack(Carried({"an operator": 7}, ended=True).pack())
    Carried(operators={'an operator': 7}, outputs={}, gate=None, ended=True, schemas=None, metrics={})
    >>> Carried.unpack(b"")
    Carried(operators={}, outputs={}, gate=None, ended=False, schemas=None, metrics={})
    """

    operators: dict[str, Any] = field(default_factory=dict)
    """By operator id, what its ``snapshot`` returned; without those that returned None."""
    outputs: dict[str, tuple[int | None, bool]] = field(default_factory=dict)
    """By operator id: the watermark of its output, and whether it is active."""
    gate: Any = None
    """Where the valves of the inputs stand."""
    ended: bool = False
    """The inputs have ended, and the operators have heard of it."""
    schemas: StoredStates | None = None
    """What the keyed states look like in the store; None if nobody said so."""
    metrics: dict[str, Any] = field(default_factory=dict)
    """By operator id: what its metrics hold."""

    def pack(self) -> bytes:
        """Encode it."""
        parts = (VERSION, self.operators, self.outputs, self.gate, self.ended, self.schemas, self.metrics)
        return pickle.dumps(parts, protocol=5)

    @staticmethod
    def unpack(data: bytes) -> Carried:
        """Decode it; no bytes are those of a subtask that never ran."""
        if not data:
            return Carried()
        parts = pickle.loads(data)
        if isinstance(parts, dict):
            return of_first_version(parts)
        version, *fields = parts
        if version != VERSION:
            message = (
                f"a checkpoint holds what subtasks carried over in form {version}; this version of Flott reads forms 1 "
                f"and {VERSION}. Restore it with the version that wrote it, or a later one"
            )
            raise StateStoreError(message)
        return Carried(*fields)


def of_first_version(parts: dict[str, Any]) -> Carried:
    """Return what a subtask of version 0.1.0 carried over: names of ours stood between operator ids.

    >>> of_first_version({"map": 7, "output/map": (5, True), "gate": None, "finished": True, "schemas": {}})
    Carried(operators={'map': 7}, outputs={'map': (5, True)}, gate=None, ended=True, schemas={}, metrics={})
    """
    ours = {"gate", "finished", "schemas", "metrics"}
    return Carried(
        {name: kept for name, kept in parts.items() if name not in ours and not name.startswith(OUTPUT)},
        {name.removeprefix(OUTPUT): kept for name, kept in parts.items() if name.startswith(OUTPUT)},
        parts.get("gate"),
        parts.get("finished", False),
        parts.get("schemas"),
        parts.get("metrics", {}),
    )
