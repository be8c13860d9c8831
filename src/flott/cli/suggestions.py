"""Suggests the name that a program may have meant: "Did you mean …?" for names of Flott."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def suggestion(error: BaseException) -> str | None:
    """Return a hint for a misspelled name of Flott, or None.

    >>> try:
    ...     from flott.common import Tipes
    ... except ImportError as error:
    ...     print(suggestion(error))
    Did you mean 'Types'?
    """
    if isinstance(error, ModuleNotFoundError):
        return nearest(str(error.name).rpartition(".")[2], modules_beside(str(error.name)))
    if isinstance(error, ImportError) and error.name is not None:
        return nearest(missing_name(error), names_in(error.name))
    if isinstance(error, AttributeError) and is_ours(error.obj):
        return nearest(error.name or "", [*dir(error.obj), *modules_in(getattr(error.obj, "__path__", []))])
    return None


def nearest(name: str, names: list[str]) -> str | None:
    """Return the question for the closest of the names."""
    close = get_close_matches(name, [one for one in names if not one.startswith("_")], n=1)
    return f"Did you mean '{close[0]}'?" if close else None


def missing_name(error: ImportError) -> str:
    """Return the name that an ``import from`` did not find."""
    found = getattr(error, "name_from", None)  # since Python 3.12
    if found is not None:
        return str(found)
    begin = "cannot import name '"
    text = str(error)
    return text[len(begin) : text.index("'", len(begin))] if text.startswith(begin) else ""


def is_ours(thing: object) -> bool:
    """Return whether an object, or the class it is, belongs to Flott."""
    owner = thing if isinstance(thing, type) else type(thing)
    module = getattr(thing, "__name__", "") if owner.__name__ == "module" else owner.__module__
    return module == "flott" or module.startswith("flott.")


def names_in(module: str) -> list[str]:
    """Return the names of a module of Flott."""
    return dir(import_module(module)) if module.startswith(("flott.", "pyflink.")) or module == "flott" else []


def modules_beside(name: str) -> list[str]:
    """Return the names of the modules in the package that a missing module of Flott would be in."""
    package, _, _ = name.rpartition(".")
    if not package.startswith("flott"):
        return []
    try:
        path = import_module(package).__path__
    except (ModuleNotFoundError, AttributeError):
        return []
    return modules_in(path)


def modules_in(path: Iterable[str]) -> list[str]:
    """Return the names of the modules in the folders of a package."""
    return [module.name for module in iter_modules(path)]
