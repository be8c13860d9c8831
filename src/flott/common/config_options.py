"""An option of the configuration: its key, its type, what it is when nobody sets it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from flott.common import config_types as types
from flott.common.option_effects import Accepted, Refused, Shown

if TYPE_CHECKING:
    from enum import Enum

    from flott.common.config_types import ValueType
    from flott.common.memory_size import MemorySize
    from flott.common.option_effects import OptionEffect
    from flott.common.time import Duration

    E = TypeVar("E", bound=Enum)

__all__ = ["ConfigOption", "ConfigOptions"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ConfigOption(Generic[T]):
    """A parameter of the configuration, built with ConfigOptions and never changed afterwards.

    >>> option = ConfigOptions.key("tmp.dir").string_type().default_value("/tmp")
    >>> option.key, option.default, option.has_default_value()
    ('tmp.dir', '/tmp', True)
    """

    key: str
    value_type: ValueType[T]
    default: T
    """What it is when nobody sets it; None where there is no default."""
    description: str = ""
    fallback_keys: tuple[str, ...] = ()
    """Other keys that are read, in this order, when the key itself is not set."""
    deprecated_keys: tuple[str, ...] = ()
    """Former names of the key; read last."""
    effect: OptionEffect | None = None
    """What an option of Flott does, or why it does nothing; None for options of your own."""

    def has_default_value(self) -> bool:
        """Says whether the option has a value when nobody sets it."""
        return self.default is not None

    def all_keys(self) -> tuple[str, ...]:
        """Returns every key the option is read from, in order."""
        return (self.key, *self.fallback_keys, *self.deprecated_keys)

    def with_description(self, description: str) -> ConfigOption[T]:
        """Returns this option with a text for the configuration reference."""
        return replace(self, description=description)

    def with_fallback_keys(self, *keys: str) -> ConfigOption[T]:
        """Returns this option, read also from other keys when its own is not set."""
        return replace(self, fallback_keys=keys)

    def with_deprecated_keys(self, *keys: str) -> ConfigOption[T]:
        """Returns this option, read also from its former keys."""
        return replace(self, deprecated_keys=keys)

    def with_effect(self, test: str) -> ConfigOption[T]:
        """Returns this option with a test that shows two values giving two results.

        Args:
            test: The id of the test, or a file whose ``test_two_values_two_results`` has a case with the option's key.
        """
        return replace(self, effect=Shown(test if "::" in test else f"{test}::test_two_values_two_results[{self.key}]"))

    def accepted(self, reason: str) -> ConfigOption[T]:
        """Returns this option as one that may be set and changes nothing."""
        return replace(self, effect=Accepted(reason))

    def refused(self, reason: str) -> ConfigOption[T]:
        """Returns this option as one that may only have its default."""
        return replace(self, effect=Refused(reason))


class ConfigOptions:
    """Builds options: a key, then a type, then a default.

    >>> ConfigOptions.key("application.parallelism").int_type().default_value(100).default
    100
    >>> ConfigOptions.key("user.name").string_type().no_default_value().has_default_value()
    False
    >>> ConfigOptions.key("my.paths").string_type().as_list().no_default_value().value_type.name
    'List<String>'
    """

    @staticmethod
    def key(key: str) -> ConfigOptions.OptionBuilder:
        """Starts an option with the given key."""
        return ConfigOptions.OptionBuilder(key)

    @dataclass(frozen=True, slots=True)
    class OptionBuilder:
        """An option that has a key and still needs a type."""

        key: str

        def boolean_type(self) -> ConfigOptions.TypedConfigOptionBuilder[bool]:
            """The value is true or false."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.BOOLEAN)

        def int_type(self) -> ConfigOptions.TypedConfigOptionBuilder[int]:
            """The value is a whole number of 32 bits."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.INT)

        def long_type(self) -> ConfigOptions.TypedConfigOptionBuilder[int]:
            """The value is a whole number of 64 bits."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.LONG)

        def float_type(self) -> ConfigOptions.TypedConfigOptionBuilder[float]:
            """The value is a number."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.FLOAT)

        def double_type(self) -> ConfigOptions.TypedConfigOptionBuilder[float]:
            """The value is a number."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.DOUBLE)

        def string_type(self) -> ConfigOptions.TypedConfigOptionBuilder[str]:
            """The value is any text."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.STRING)

        def choice_type(self, *choices: str) -> ConfigOptions.TypedConfigOptionBuilder[str]:
            """The value is one of a few words, in upper or lower case."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.one_of(*choices))

        def enum_type(self, members: type[E]) -> ConfigOptions.TypedConfigOptionBuilder[E]:
            """The value is a member of an enum, written as its name."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.enum_of(members))

        def duration_type(self) -> ConfigOptions.TypedConfigOptionBuilder[Duration]:
            """The value is a length of time, such as `10 s`."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.DURATION)

        def memory_type(self) -> ConfigOptions.TypedConfigOptionBuilder[MemorySize]:
            """The value is an amount of memory, such as `1 gb`."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.MEMORY)

        def map_type(self) -> ConfigOptions.TypedConfigOptionBuilder[dict[str, str]]:
            """The value is a map of strings, such as `a:1,b:2`, or one key `key.a` per entry."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.MAP)

    @dataclass(frozen=True, slots=True)
    class TypedConfigOptionBuilder(Generic[T]):
        """An option that has a key and a type and still needs a default, or none."""

        key: str
        value_type: ValueType[T]

        def as_list(self) -> ConfigOptions.TypedConfigOptionBuilder[list[T]]:
            """The value is a list of such values, such as `a;b` or `[a, b]`."""
            return ConfigOptions.TypedConfigOptionBuilder(self.key, types.list_of(self.value_type))

        def default_value(self, value: T) -> ConfigOption[T]:
            """Returns the option with what it is when nobody sets it."""
            return ConfigOption(self.key, self.value_type, value)

        def no_default_value(self) -> ConfigOption[T | None]:
            """Returns the option without a default: it is None when nobody sets it."""
            return ConfigOption(self.key, self.value_type, None)
