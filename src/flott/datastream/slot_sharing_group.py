"""Slot sharing groups: which operators may share a slot, and what resources such a slot has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flott.common.memory_size import MemorySize

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MemorySize", "SlotSharingGroup"]


@dataclass(frozen=True, slots=True)
class SlotSharingGroup:
    """A name that operators share, and the resources they ask for together.

    Operators of different groups are never chained. Spark decides where tasks run, so resources
    are kept for your information.

    >>> group = SlotSharingGroup.builder("models").set_cpu_cores(2).set_task_heap_memory_mb(512).build()
    >>> group.get_name(), group.get_cpu_cores(), str(group.get_task_heap_memory())
    ('models', 2, '512 mb')
    """

    name: str
    cpu_cores: float | None = None
    task_heap_memory: MemorySize | None = None
    task_off_heap_memory: MemorySize | None = None
    managed_memory: MemorySize | None = None
    external_resources: Mapping[str, float] = field(default_factory=dict, hash=False)

    def get_name(self) -> str:
        """Returns the name of the group."""
        return self.name

    def get_managed_memory(self) -> MemorySize | None:
        """Returns the managed memory, if it was set."""
        return self.managed_memory

    def get_task_heap_memory(self) -> MemorySize | None:
        """Returns the heap memory, if it was set."""
        return self.task_heap_memory

    def get_task_off_heap_memory(self) -> MemorySize | None:
        """Returns the memory outside the heap, if it was set."""
        return self.task_off_heap_memory

    def get_cpu_cores(self) -> float | None:
        """Returns the number of cores, if it was set."""
        return self.cpu_cores

    def get_external_resources(self) -> dict[str, float]:
        """Returns amounts of other resources by name."""
        return dict(self.external_resources)

    @staticmethod
    def builder(name: str) -> SlotSharingGroup.Builder:
        """Starts a group with its name."""
        return SlotSharingGroup.Builder(name)

    class Builder:
        """Builds a group; every setter returns the builder."""

        def __init__(self, name: str) -> None:
            if not name:
                raise ValueError("a slot sharing group needs a name, such as SlotSharingGroup.builder('models')")
            self._group = SlotSharingGroup(name)

        def set_cpu_cores(self, cpu_cores: float) -> SlotSharingGroup.Builder:
            """Sets the number of cores."""
            if cpu_cores <= 0:
                raise ValueError(f"the number of cores is greater than 0, not {cpu_cores}")
            self._group = replace(self._group, cpu_cores=cpu_cores)
            return self

        def set_task_heap_memory(self, task_heap_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Sets the heap memory."""
            if task_heap_memory.get_bytes() <= 0:
                raise ValueError("the heap memory is greater than 0")
            self._group = replace(self._group, task_heap_memory=task_heap_memory)
            return self

        def set_task_heap_memory_mb(self, task_heap_memory_mb: int) -> SlotSharingGroup.Builder:
            """Sets the heap memory in units of 1024 * 1024 bytes."""
            return self.set_task_heap_memory(MemorySize.of_mebi_bytes(task_heap_memory_mb))

        def set_task_off_heap_memory(self, task_off_heap_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Sets the memory outside the heap."""
            self._group = replace(self._group, task_off_heap_memory=task_off_heap_memory)
            return self

        def set_task_off_heap_memory_mb(self, task_off_heap_memory_mb: int) -> SlotSharingGroup.Builder:
            """Sets the memory outside the heap in units of 1024 * 1024 bytes."""
            return self.set_task_off_heap_memory(MemorySize.of_mebi_bytes(task_off_heap_memory_mb))

        def set_managed_memory(self, managed_memory: MemorySize) -> SlotSharingGroup.Builder:
            """Sets the managed memory."""
            self._group = replace(self._group, managed_memory=managed_memory)
            return self

        def set_managed_memory_mb(self, managed_memory_mb: int) -> SlotSharingGroup.Builder:
            """Sets the managed memory in units of 1024 * 1024 bytes."""
            return self.set_managed_memory(MemorySize.of_mebi_bytes(managed_memory_mb))

        def set_external_resource(self, name: str, value: float) -> SlotSharingGroup.Builder:
            """Sets the amount of some other resource, such as GPUs."""
            resources = {**self._group.external_resources, name: value}
            self._group = replace(self._group, external_resources=resources)
            return self

        def build(self) -> SlotSharingGroup:
            """Returns the group; resources need both cores and heap memory, or neither."""
            group = self._group
            has_resources = bool(
                group.task_off_heap_memory or group.managed_memory or group.external_resources
                or group.cpu_cores is not None or group.task_heap_memory
            )  # fmt: skip
            if has_resources and (group.cpu_cores is None or group.task_heap_memory is None):
                raise ValueError(
                    f"slot sharing group '{group.name}': whoever sets resources sets set_cpu_cores(...) and "
                    "set_task_heap_memory_mb(...) both; leave all out, or add the missing one"
                )
            return group
