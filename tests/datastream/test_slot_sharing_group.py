from __future__ import annotations

import pytest

from flott.datastream import MemorySize, SlotSharingGroup


def test_a_group_with_all_its_resources():
    group = (
        SlotSharingGroup.builder("g")
        .set_cpu_cores(1.5)
        .set_task_heap_memory(MemorySize.of_mebi_bytes(1))
        .set_task_off_heap_memory_mb(2)
        .set_managed_memory_mb(3)
        .set_external_resource("gpu", 1.0)
        .build()
    )
    assert group.get_name() == "g"
    assert group.get_cpu_cores() == 1.5
    assert group.get_task_heap_memory() == MemorySize.of_mebi_bytes(1)
    assert group.get_task_off_heap_memory() == MemorySize.of_mebi_bytes(2)
    assert group.get_managed_memory() == MemorySize.of_mebi_bytes(3)
    assert group.get_external_resources() == {"gpu": 1.0}


def test_a_name_is_enough():
    group = SlotSharingGroup.builder("g").build()
    assert group.get_cpu_cores() is None
    assert group.get_task_heap_memory() is None
    assert group.get_external_resources() == {}
    assert group == SlotSharingGroup.builder("g").build()
    assert hash(group) == hash(SlotSharingGroup.builder("g").build())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SlotSharingGroup.builder(""), "needs a name"),
        (lambda: SlotSharingGroup.builder("g").set_cpu_cores(0), "greater than 0"),
        (lambda: SlotSharingGroup.builder("g").set_task_heap_memory_mb(0), "greater than 0"),
        (lambda: SlotSharingGroup.builder("g").set_cpu_cores(1).build(), "both"),
        (lambda: SlotSharingGroup.builder("g").set_managed_memory_mb(1).build(), "both"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
