"""A short way to write programs down: what the DataStream API does, without the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from flott.graph.transformations import (
    PartitionTransformation,
    PhysicalTransformation,
    Program,
    SideOutputTransformation,
    Transformation,
    UnionTransformation,
)
from flott.runtime.operator import MultiInputOperator, Operator
from flott.runtime.partitioners import KeyGroupHash

if TYPE_CHECKING:
    from flott.runtime.partitioners import Partitioner


class Identity(Operator):
    """Hands on what comes in."""

    def process(self, batch):
        self.output.emit(batch)


class Merge(MultiInputOperator):
    """Hands on what comes in on either side."""

    def process_input(self, index, batch):
        self.output.emit(batch)


class Nothing:
    """A source in name only: the graph never looks inside."""


@dataclass
class Builder:
    """Makes steps with growing ids, as the environment does."""

    last_id: int = 0
    steps: list[PhysicalTransformation] = field(default_factory=list)

    def next_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def source(self, name: str = "numbers", **settings: Any) -> PhysicalTransformation:
        return self.step(name, source=Nothing(), **settings)

    def step(self, name: str, *inputs: Transformation, **settings: Any) -> PhysicalTransformation:
        settings.setdefault("operator", Merge() if len(inputs) == 2 else Identity())
        made = PhysicalTransformation(id=self.next_id(), name=name, inputs=inputs, **settings)
        self.steps.append(made)
        return made

    def sink(self, name: str, stream: Transformation, **settings: Any) -> PhysicalTransformation:
        return self.step(name, stream, is_sink=True, **settings)

    def partition(self, stream: Transformation, partitioner: Partitioner) -> PartitionTransformation:
        return PartitionTransformation(id=self.next_id(), name="Partition", inputs=(stream,), partitioner=partitioner)

    def key_by(self, stream: Transformation) -> PartitionTransformation:
        return self.partition(stream, KeyGroupHash(str))

    def side(self, stream: Transformation, tag: str) -> SideOutputTransformation:
        return SideOutputTransformation(id=self.next_id(), name="SideOutput", inputs=(stream,), tag=tag)

    def union(self, *streams: Transformation) -> UnionTransformation:
        return UnionTransformation(id=self.next_id(), name="Union", inputs=streams)

    def program(self, **settings: Any) -> Program:
        return Program(**{"name": "job", "transformations": self.steps, "parallelism": 2} | settings)


@pytest.fixture
def build() -> Builder:
    return Builder()


@pytest.fixture(scope="session")
def new_builder() -> type[Builder]:
    """For tests that need several programs."""
    return Builder
