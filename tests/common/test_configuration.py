from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flott.common import ConfigOptions, Configuration, Duration, MemorySize
from flott.errors import ConfigurationError

keys = st.text(min_size=1, max_size=10)
settings = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()
INTERVAL = ConfigOptions.key("interval").duration_type().default_value(Duration.of_seconds(1))
PARAMETERS = ConfigOptions.key("params").map_type().no_default_value()


@given(st.dictionaries(keys, settings))
def test_a_configuration_reads_back_from_its_texts(entries):
    config = Configuration.from_dict(entries)
    again = Configuration.from_map(config.to_map())
    assert again.to_dict() == config.to_dict()
    readers = {
        bool: again.get_boolean,
        int: again.get_integer,
        float: again.get_float,
        str: again.get_string,
        bytes: lambda key, _: bytes(again.get_bytearray(key, bytearray())),
    }
    for key, value in entries.items():
        assert readers[type(value)](key, None if type(value) is not float else 0.0) == value


@given(st.dictionaries(keys, settings))
def test_copies_are_equal_and_independent(entries):
    config = Configuration.from_dict(entries)
    for copied in (
        Configuration(config),
        config.clone(),
        copy.copy(config),
        copy.deepcopy(config),
        pickle.loads(pickle.dumps(config)),
    ):
        assert copied == config
        assert hash(copied) == hash(config)
        copied.set_string("one more", "x")
        assert copied != config
        assert config.key_set() == set(entries)


@given(st.dictionaries(keys, settings), st.text(max_size=5))
def test_adding_all_under_a_prefix(entries, prefix):
    added = Configuration().add_all(Configuration.from_dict(entries), prefix)
    assert added.key_set() == {prefix + key for key in entries}
    target = {}
    added.add_all_to_dict(target)
    assert target == {prefix + key: value for key, value in entries.items()}


def test_set_and_get_by_key():
    config = (
        Configuration()
        .set_string("s", "hello")
        .set_integer("i", 5)
        .set_boolean("b", True)
        .set_float("f", 1.5)
        .set_bytearray("ba", bytearray(b"ab"))
    )
    assert config.get_string("s", "") == "hello"
    assert config.get_integer("i", 0) == 5
    assert config.get_boolean("b", False) is True
    assert config.get_float("f", 0) == 1.5
    assert config.get_bytearray("ba", bytearray()) == bytearray(b"ab")
    assert [config.get_string(key, "") for key in ("i", "b", "f")] == ["5", "true", "1.5"]
    assert config.get_float("i", 0) == 5.0


def test_defaults_when_nothing_is_set():
    config = Configuration()
    assert config.get_string("k", "d") == "d"
    assert config.get_integer("k", 7) == 7
    assert config.get_boolean("k", True) is True
    assert config.get_float("k", 2) == 2.0
    assert config.get_bytearray("k", bytearray(b"q")) == bytearray(b"q")
    assert config.get_duration("k", None) is None
    assert config.get_memory_size("k", MemorySize(3)) == MemorySize(3)


def test_durations_and_memory_sizes_by_key():
    config = Configuration().set_string("t", "10 s").set_string("m", "1 gb")
    assert config.get_duration("t", None) == Duration.of_seconds(10)
    assert config.get_memory_size("m", None) == MemorySize.of_mebi_bytes(1024)


def test_a_value_of_the_wrong_type_says_key_value_and_form():
    config = Configuration().set_string("my.key", "hello")
    with pytest.raises(ConfigurationError, match=r"option 'my.key': can't read 'hello' as Long: write a whole"):
        config.get_integer("my.key", 0)
    with pytest.raises(ConfigurationError, match="write true or false"):
        config.get_boolean("my.key", False)
    with pytest.raises(ConfigurationError, match="such as '10 s'"):
        config.get_duration("my.key", None)
    with pytest.raises(ConfigurationError, match="such as '512 kb'"):
        config.get_memory_size("my.key", None)
    with pytest.raises(ConfigurationError, match="set_bytearray"):
        config.get_bytearray("my.key", bytearray())


def test_types_count_when_configurations_are_compared():
    assert Configuration().set_string("a", "5") != Configuration().set_integer("a", 5)
    assert Configuration().set_integer("a", 1) != Configuration().set_boolean("a", True)
    assert Configuration() != {}


def test_options():
    config = Configuration()
    assert config.get(INTERVAL) == Duration.of_seconds(1)
    assert config.get(INTERVAL, Duration.of_days(1)) == Duration.of_days(1)
    assert config.get_optional(INTERVAL) is None
    assert not config.contains(INTERVAL)
    config.set(INTERVAL, Duration.of_millis(5))
    assert config.get(INTERVAL, Duration.of_days(1)) == Duration.of_millis(5)
    assert config.get_optional(INTERVAL) == Duration.of_millis(5)
    assert config.contains(INTERVAL)
    assert config.to_dict() == {"interval": "5 ms"}
    assert config.remove_config(INTERVAL)
    assert not config.remove_config(INTERVAL)


def test_other_keys_of_an_option_are_read_after_its_own():
    option = INTERVAL.with_fallback_keys("second").with_deprecated_keys("old")
    config = Configuration().set_string("old", "1 s")
    assert config.contains(option)
    assert config.get(option) == Duration.of_seconds(1)
    assert config.set_string("second", "2 s").get(option) == Duration.of_seconds(2)
    assert config.set_string("interval", "3 s").get(option) == Duration.of_seconds(3)
    with pytest.raises(ConfigurationError, match="option 'old'"):
        Configuration().set_string("old", "x").get(option)


def test_a_map_may_be_given_one_key_per_entry():
    config = Configuration().set_string("params.a", "1").set_integer("params.b.c", 2)
    assert config.contains(PARAMETERS)
    assert not config.contains_key("params")
    assert config.get(PARAMETERS) == {"a": "1", "b.c": "2"}
    config.set(PARAMETERS, {"z": "9"})
    assert config.to_dict() == {"params": "{z: '9'}"}
    config.set_string("params.a", "1")
    assert config.remove_config(PARAMETERS)
    assert config.key_set() == set()
    assert config.get(PARAMETERS) is None


def test_removing_a_key():
    config = Configuration().set_boolean("k", False)
    assert config.contains_key("k")
    assert config.remove_config("k")
    assert not config.remove_config("k")


def test_wrong_use():
    with pytest.raises(ConfigurationError, match=r"set to None; to unset it, call remove_config\('k'\)"):
        Configuration().set_string("k", None)
    with pytest.raises(TypeError, match="a key is a string"):
        Configuration().set_string(INTERVAL, "5 s")
    with pytest.raises(TypeError, match="use get_string"):
        Configuration().get("k")


def test_secrets_are_not_shown():
    config = Configuration().set_string("jdbc.Password", "hunter2").set_string("user", "ann")
    assert "hunter2" not in f"{config} {config!r}"
    assert "ann" in str(config)
    assert config.get_string("jdbc.Password", "") == "hunter2"


def test_lists():
    assert Configuration.parse_list_value("a;b") == ["a", "b"]
    assert Configuration.parse_list_value("[a, b]") == ["a", "b"]
    assert Configuration.parse_list_value("") == []
