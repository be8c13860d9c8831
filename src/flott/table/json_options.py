"""What the JSON functions of expressions do where a document has not what is asked for."""

from __future__ import annotations

from enum import Enum, auto

__all__ = [
    "JsonExistsOnError", "JsonOnNull", "JsonQueryOnEmptyOrError", "JsonQueryWrapper", "JsonType",
    "JsonValueOnEmptyOrError",
]  # fmt: skip


class JsonType(Enum):
    """What ``is_json`` asks for."""

    VALUE = auto()
    SCALAR = auto()
    ARRAY = auto()
    OBJECT = auto()


class JsonExistsOnError(Enum):
    """What ``json_exists`` says if there is an error."""

    TRUE = auto()
    FALSE = auto()
    UNKNOWN = auto()
    ERROR = auto()


class JsonValueOnEmptyOrError(Enum):
    """What ``json_value`` gives if there is nothing, or an error."""

    NULL = auto()
    ERROR = auto()
    DEFAULT = auto()


class JsonQueryWrapper(Enum):
    """Whether ``json_query`` puts what it finds into an array."""

    WITHOUT_ARRAY = auto()
    CONDITIONAL_ARRAY = auto()
    UNCONDITIONAL_ARRAY = auto()


class JsonQueryOnEmptyOrError(Enum):
    """What ``json_query`` gives if there is nothing, or an error."""

    NULL = auto()
    EMPTY_ARRAY = auto()
    EMPTY_OBJECT = auto()
    ERROR = auto()


class JsonOnNull(Enum):
    """Whether ``json_object`` and ``json_array`` keep what is NULL."""

    NULL = auto()
    ABSENT = auto()
