"""The job as bytes: written once by the driver, read once by every worker process."""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cloudpickle

from flott.errors import FlottError

if TYPE_CHECKING:
    from flott.runtime.plan import ChainedOperator, EpochPlan, VertexSpec


@dataclass(frozen=True, slots=True)
class JobFile:
    """A job as every worker knows it: the plan without operators, and each vertex's operators apart."""

    plan: EpochPlan
    chains: tuple[bytes, ...]

    def vertex(self, index: int) -> VertexSpec:
        """Return a vertex with operators of its own, never shared with another subtask."""
        chain: tuple[ChainedOperator, ...] = pickle.loads(self.chains[index])
        return replace(self.plan.vertices[index], chain=chain)


def pack(plan: EpochPlan) -> bytes:
    """Write a job as bytes."""
    bare = replace(
        plan,
        vertices=tuple(
            replace(vertex, chain=tuple(replace(member, operator=None) for member in vertex.chain))  # type: ignore[arg-type]
            for vertex in plan.vertices
        ),
    )
    chains = tuple(cloudpickle.dumps(vertex.chain, protocol=5) for vertex in plan.vertices)
    body: bytes = cloudpickle.dumps((bare, chains, main_classes()), protocol=5)
    # The search path stands before the body: it must be set before unpickling, which may import what lies on it.
    return pickle.dumps((sys.path, body), protocol=5)


def unpack(data: bytes, digest: str) -> JobFile:
    """Read a job back, checked to be the one the driver wrote."""
    if sha256(data).hexdigest() != digest:
        message = "the job file in storage is not the one the driver wrote (its checksum differs)"
        raise FlottError(message)
    path, body = pickle.loads(data)
    sys.path.extend(entry for entry in path if entry not in sys.path and Path(entry).exists())
    plan, chains, classes = pickle.loads(body)
    main = sys.modules["__main__"]
    for name, known in classes.items():
        # Records of classes that the user's script defines are pickled by name; here is where the name leads.
        if not hasattr(main, name):
            setattr(main, name, known)
    return JobFile(plan, chains)


def main_classes() -> dict[str, Any]:
    """Return the classes that the user's script defines itself."""
    main = sys.modules.get("__main__")
    return {
        name: value
        for name, value in vars(main).items()
        if isinstance(value, type) and value.__module__ == "__main__" and value.__qualname__ == name
    }
