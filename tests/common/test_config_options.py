from __future__ import annotations

from enum import Enum

from flott.common import ConfigOption, ConfigOptions, Duration, MemorySize


class Mode(Enum):
    FAST = 1


def test_every_type():
    key = ConfigOptions.key("k")
    built = {
        "Boolean": key.boolean_type(),
        "Integer": key.int_type(),
        "Long": key.long_type(),
        "Float": key.float_type(),
        "Double": key.double_type(),
        "String": key.string_type(),
        "Duration": key.duration_type(),
        "MemorySize": key.memory_type(),
        "Map": key.map_type(),
        "one of a, b": key.choice_type("a", "b"),
        "one of FAST": key.enum_type(Mode),
        "List<Duration>": key.duration_type().as_list(),
    }
    for name, builder in built.items():
        option = builder.no_default_value()
        assert isinstance(option, ConfigOption)
        assert (option.key, option.value_type.name, option.default) == ("k", name, None)


def test_defaults():
    assert ConfigOptions.key("k").duration_type().default_value(Duration.of_days(1)).default == Duration.of_days(1)
    assert ConfigOptions.key("k").memory_type().default_value(MemorySize(1)).has_default_value()
    assert not ConfigOptions.key("k").int_type().no_default_value().has_default_value()
    assert ConfigOptions.key("k").boolean_type().default_value(False).has_default_value()


def test_an_option_is_a_value():
    plain = ConfigOptions.key("k").string_type().default_value("v")
    full = plain.with_description("text").with_fallback_keys("f").with_deprecated_keys("d1", "d2")
    assert plain == ConfigOptions.key("k").string_type().default_value("v")
    assert plain != full
    assert full.description == "text"
    assert full.all_keys() == ("k", "f", "d1", "d2")
    assert plain.all_keys() == ("k",)


def test_pyflinks_names_of_the_builders():
    assert isinstance(ConfigOptions.key("k"), ConfigOptions.OptionBuilder)
    assert isinstance(ConfigOptions.key("k").int_type(), ConfigOptions.TypedConfigOptionBuilder)
