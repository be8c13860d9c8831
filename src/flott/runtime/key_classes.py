"""Classes of keys by name: which ones equal keys and saved state can rely on."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, make_dataclass
from importlib import import_module
from typing import Any

from flott.errors import StateAccessError


class KeyTypeError(TypeError):
    """A key, or something in it, is of a type that has no canonical form."""

    kind: type | None = None


def refusal(kind: type, reason: str, instead: str) -> KeyTypeError:
    """Return the error for a key of a type."""
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    error = KeyTypeError(f"of type {name}, {reason}, so no state can be kept for it. Return {instead}")
    error.kind = kind
    return error


def class_named(module: str, qualname: str) -> Any:
    """Return the class that a key was saved with."""
    try:
        found: Any = import_module(module)
        for name in qualname.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        message = (
            f"a key of class {module}.{qualname} was saved, which can't be imported now ({error}). "
            f"Keep the class where it was, under its name, as long as state is kept by such keys."
        )
        raise StateAccessError(message) from None
    return found


def check_importable(kind: type) -> None:
    """Raise if a class can't be found by its name, as another worker has to."""
    if kind.__module__ == "__main__" and "<locals>" not in kind.__qualname__:
        return  # workers get the classes of the user's script, of which a worker may have its own copy
    try:
        found = class_named(kind.__module__, kind.__qualname__)
    except StateAccessError:
        found = None
    if found is not kind:
        raise refusal(
            kind, "a class that another worker can't import", "a tuple of its fields, or define the class in a module"
        )


def check_equality(kind: type, base: type) -> None:
    """Raise if a class has an equality of its own: what it holds equal, the encoding can't know."""
    if kind.__eq__ is not base.__eq__:
        raise refusal(kind, "whose __eq__ only it knows", "a tuple of what makes two of them equal")


def check_dataclass(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; raise if equality is anything but that of all fields."""
    if "__dataclass_params__" not in vars(kind):
        raise refusal(kind, "a class that inherits from a dataclass", "a tuple, or add @dataclass(frozen=True)")
    names = tuple(field.name for field in fields(kind))
    generated = make_dataclass("Generated", names).__eq__.__code__
    own = getattr(kind.__eq__, "__code__", None)
    if own is None or (own.co_code, own.co_names, own.co_consts) != (
        generated.co_code,
        generated.co_names,
        generated.co_consts,
    ):
        raise refusal(
            kind,
            "a dataclass whose equality is not that of all its fields",
            "a tuple of what makes two of them equal, or leave out __eq__, eq=False and field(compare=False)",
        )
    if kind.__hash__ is None:
        raise refusal(kind, "a dataclass that may change", "a tuple of its fields, or write @dataclass(frozen=True)")
    return names


def has_fields(kind: type) -> bool:
    """Return whether a class is a dataclass, or inherits from one."""
    return is_dataclass(kind)
