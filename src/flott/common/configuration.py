"""Settings by key: what a user, a file or the command line says about a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from flott.common import config_types as types
from flott.common.config_options import ConfigOption
from flott.common.config_text import parse_list
from flott.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.common.config_types import ValueType
    from flott.common.memory_size import MemorySize
    from flott.common.time import Duration

__all__ = ["Configuration"]

T = TypeVar("T")
D = TypeVar("D")

_SECRET_WORDS = (
    "password", "secret", "token", "apikey", "api-key", "account.key", "service-key",
    "auth-params", "basic-auth", "jaas.config", "http-headers",
)  # fmt: skip


class Configuration:
    """Keys and values, read by type.

    >>> config = Configuration().set_string("pipeline.auto-watermark-interval", "10 s")
    >>> config.set_integer("parallelism.default", 4).get_integer("parallelism.default", 1)
    4
    >>> config.get_duration("pipeline.auto-watermark-interval", None)
    Duration(PT10S)
    >>> config.to_dict()
    {'pipeline.auto-watermark-interval': '10 s', 'parallelism.default': '4'}

    Options know their own key, type and default:

    >>> from flott.common import ConfigOptions
    >>> retries = ConfigOptions.key("my.retries").int_type().default_value(3)
    >>> config.get(retries), config.set(retries, 5).get(retries)
    (3, 5)
    """

    __slots__ = ("_values",)

    def __init__(self, other: Configuration | None = None) -> None:
        self._values: dict[str, Any] = {} if other is None else dict(other._values)  # noqa: SLF001

    @classmethod
    def from_dict(cls, map: Mapping[str, Any]) -> Configuration:
        """Returns a configuration with the entries of a dict."""
        configuration = cls()
        for key, value in map.items():
            configuration._put(key, value)
        return configuration

    @classmethod
    def from_map(cls, map: Mapping[str, Any]) -> Configuration:
        """Returns a configuration with the entries of a dict."""
        return cls.from_dict(map)

    # -- by key ------------------------------------------------------------------------------

    def get_string(self, key: str, default_value: str) -> str:
        """Returns the value of a key as text."""
        return self._read(key, types.STRING, default_value)

    def set_string(self, key: str, value: str) -> Configuration:
        """Sets a key to a text, which may be read as any type: `10 s`, `1 gb`, `true`."""
        return self._put(key, value)

    def get_integer(self, key: str, default_value: int) -> int:
        """Returns the value of a key as a whole number."""
        return self._read(key, types.LONG, default_value)

    def set_integer(self, key: str, value: int) -> Configuration:
        """Sets a key to a whole number."""
        return self._put(key, value)

    def get_boolean(self, key: str, default_value: bool) -> bool:
        """Returns the value of a key as true or false."""
        return self._read(key, types.BOOLEAN, default_value)

    def set_boolean(self, key: str, value: bool) -> Configuration:
        """Sets a key to true or false."""
        return self._put(key, value)

    def get_float(self, key: str, default_value: float) -> float:
        """Returns the value of a key as a float."""
        return self._read(key, types.DOUBLE, float(default_value))

    def set_float(self, key: str, value: float) -> Configuration:
        """Sets a key to a float."""
        return self._put(key, float(value))

    def get_bytearray(self, key: str, default_value: bytearray) -> bytearray:
        """Returns the value of a key as bytes."""
        return bytearray(self._read(key, types.BYTES, bytes(default_value)))

    def set_bytearray(self, key: str, value: bytearray) -> Configuration:
        """Sets a key to bytes."""
        return self._put(key, bytes(value))

    def get_duration(self, key: str, default_value: D) -> Duration | D:
        """Returns the value of a key, such as `10 s`, as a Duration."""
        return self._read(key, types.DURATION, default_value)

    def get_memory_size(self, key: str, default_value: D) -> MemorySize | D:
        """Returns the value of a key, such as `1 gb`, as a MemorySize."""
        return self._read(key, types.MEMORY, default_value)

    def contains_key(self, key: str) -> bool:
        """Says whether a key is set."""
        return key in self._values

    def key_set(self) -> set[str]:
        """Returns all keys that are set."""
        return set(self._values)

    # -- by option ---------------------------------------------------------------------------

    def get(self, option: ConfigOption[T], override_default: T | None = None) -> T:
        """Returns the value of an option, or else the given default, or else the option's own."""
        value = self.get_optional(option)
        if value is not None:
            return value
        return option.default if override_default is None else override_default

    def get_optional(self, option: ConfigOption[T]) -> T | None:
        """Returns the value of an option if it is set, else None; its default does not count."""
        key = self._key_of(option)
        if key is not None:
            return self._parse(key, self._values[key], option.value_type)
        entries = self._prefixed(option)
        return option.value_type.parse(entries) if entries else None

    def set(self, option: ConfigOption[T], value: T) -> Configuration:
        """Sets an option."""
        for key in self._prefixed(option):
            del self._values[f"{option.key}.{key}"]
        return self._put(option.key, value)

    def contains(self, option: ConfigOption[Any]) -> bool:
        """Says whether an option is set, under its key or one of its other keys."""
        return self._key_of(option) is not None or bool(self._prefixed(option))

    def remove_config(self, key: str | ConfigOption[Any]) -> bool:
        """Removes a key or an option; says whether it was there."""
        if isinstance(key, str):
            return self._values.pop(key, None) is not None
        entries = self._prefixed(key)
        for entry in entries:
            del self._values[f"{key.key}.{entry}"]
        return self._values.pop(key.key, None) is not None or bool(entries)

    # -- as a whole --------------------------------------------------------------------------

    def add_all(self, other: Configuration, prefix: str | None = None) -> Configuration:
        """Adds every entry of another configuration, its keys after a prefix if there is one."""
        for key, value in other._values.items():
            self._values[f"{prefix or ''}{key}"] = value
        return self

    def add_all_to_dict(self, target_dict: dict[str, Any]) -> None:
        """Adds every entry, with its value as it was set, to a dict."""
        target_dict.update(self._values)

    def to_dict(self) -> dict[str, str]:
        """Returns every entry as text, the way it would stand in a file."""
        return {key: types.render(value) for key, value in self._values.items()}

    def to_map(self) -> dict[str, str]:
        """Returns every entry as text, the way it would stand in a file."""
        return self.to_dict()

    def clone(self) -> Configuration:
        """Returns a copy that may be changed on its own."""
        return Configuration(self)

    @staticmethod
    def parse_list_value(value: str) -> list[str]:
        """Reads a list such as `a;b` or `[a, b]`.

        >>> Configuration.parse_list_value("lib/a.zip;lib/b.zip")
        ['lib/a.zip', 'lib/b.zip']
        """
        return parse_list(value) if value else []

    # -- how it is done ----------------------------------------------------------------------

    def _put(self, key: str, value: Any) -> Configuration:
        if not isinstance(key, str):
            raise TypeError(f"a key is a string, not {key!r}; for an option use set(option, value)")
        if value is None:
            raise ConfigurationError(f"option '{key}' was set to None; to unset it, call remove_config('{key}')")
        self._values[key] = value
        return self

    def _read(self, key: str, value_type: ValueType[T], default: D) -> T | D:
        value = self._values.get(key)
        return default if value is None else self._parse(key, value, value_type)

    @staticmethod
    def _parse(key: str, value: object, value_type: ValueType[T]) -> T:
        try:
            return value_type.parse(value)
        except ValueError as error:
            raise ConfigurationError(
                f"option '{key}': can't read '{types.render(value)}' as {value_type.name}: {error}"
            ) from None

    def _key_of(self, option: ConfigOption[Any]) -> str | None:
        if not isinstance(option, ConfigOption):
            raise TypeError(
                f"expected a ConfigOption, not {option!r}; "
                "for a plain key use get_string(key, default) or contains_key(key)"
            )
        return next((key for key in option.all_keys() if key in self._values), None)

    def _prefixed(self, option: ConfigOption[Any]) -> dict[str, Any]:
        """A map may also be given as one key per entry: `pipeline.global-job-parameters.a: 1`."""
        if option.value_type is not types.MAP:
            return {}
        prefix = f"{option.key}."
        return {key.removeprefix(prefix): value for key, value in self._values.items() if key.startswith(prefix)}

    def __copy__(self) -> Configuration:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Configuration:
        return self.clone()

    def __eq__(self, other: object) -> bool:
        # Types count: 1, True and "1" are three different settings, though 1 == True.
        return isinstance(other, Configuration) and self._typed() == other._typed()

    def _typed(self) -> dict[str, tuple[type, Any]]:
        return {key: (type(value), value) for key, value in self._values.items()}

    def __hash__(self) -> int:
        return hash(frozenset(self.to_dict().items()))

    def __str__(self) -> str:
        """Shows every entry; what looks like a secret stays hidden."""
        return str(without_secrets(self))

    def __repr__(self) -> str:
        return f"Configuration({self})"


def without_secrets(configuration: Configuration) -> dict[str, str]:
    """Returns all entries as text; what looks like a secret stays hidden.

    >>> without_secrets(Configuration().set_string("rest.token", "1234").set_string("rest.port", "8081"))
    {'rest.token': '******', 'rest.port': '8081'}
    """
    return {
        key: "******" if any(word in key.lower() for word in _SECRET_WORDS) else value
        for key, value in configuration.to_dict().items()
    }
