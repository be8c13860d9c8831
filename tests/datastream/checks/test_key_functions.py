from __future__ import annotations

import cloudpickle
import pytest

from flott.datastream._key_functions import check_keys, key_function, partition_function
from flott.datastream.functions import KeySelector, Partitioner
from flott.errors import FlottError, GraphError


class First(KeySelector):
    def get_key(self, value):
        return value[0]


class Opened(KeySelector):
    opened = 0

    def open(self, runtime_context):
        self.opened += 1
        self.names = {1: "one"}

    def get_key(self, value):
        return self.names[value], self.opened


class AsksTooMuch(Opened):
    def open(self, runtime_context):
        runtime_context.get_index_of_this_subtask()


class Modulo(Partitioner):
    def partition(self, key, num_partitions):
        return key % num_partitions


def test_a_callable_is_used_as_it_is():
    def select(value):
        return value

    assert key_function("key_by(...)", select) is select


def test_a_selector_object_is_called_without_detour():
    selector = First()
    assert key_function("key_by(...)", selector) == selector.get_key


def test_a_selector_that_opens_is_opened_once_in_each_worker():
    select = key_function("key_by(...)", Opened())
    assert select(1) == ("one", 1)
    assert select(1) == ("one", 1)
    elsewhere = cloudpickle.loads(cloudpickle.dumps(key_function("key_by(...)", Opened())))
    assert elsewhere(1) == ("one", 1)


def test_a_selector_has_no_subtask():
    with pytest.raises(FlottError, match=r"AsksTooMuch.open\(\): get_index_of_this_subtask"):
        key_function("key_by(...)", AsksTooMuch())(1)


def test_partitioners():
    assert partition_function(Modulo())(7, 4) == 3
    assert partition_function(max)(1, 4) == 4


@pytest.mark.parametrize(("key", "kind"), [({}, "dict"), (1j, "complex"), (([{}],), "something of type dict")])
def test_keys_without_a_canonical_form_are_refused(key, kind):
    with pytest.raises(GraphError, match=f"{kind}, which has no canonical form"):
        check_keys("key_by(...)", lambda _: key, ["record"])


def test_a_selector_that_fails_here_may_work_in_a_worker():
    check_keys("key_by(...)", lambda record: record["missing"], [{}])
