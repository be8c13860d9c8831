"""Compares PyFlink's API with Flott's, and writes docs/support.md.

Run it with `make support`. What PyFlink has stands in tools/pyflink_api.json (names and arguments, of version 2.3);
what Flott has is found by importing it. `support_table.py --extract LISTING` makes the file anew from a listing.

A name counts as supported if it can be imported from the module of the same name (or from the package around it) and
takes the same arguments; a method that only says that it is not there yet counts as missing.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import textwrap
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyflink_listing import read, split
from support_reasons import NOT_APPLICABLE, REASONS, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyflink_listing import Listing, Members

REPOSITORY = Path(__file__).resolve().parent.parent
API = Path(__file__).with_name("pyflink_api.json")
DOCUMENT = REPOSITORY / "docs" / "support.md"
PACKAGES = ("pyflink.common.", "pyflink.datastream.")
OPTIONAL = ("pyflink.datastream.connectors.", "pyflink.datastream.formats.")
"""Of these packages, modules that Flott does not have are only counted."""
VERSION = "2.3"
ABSENT = "absent"
OPERATORS = {"__eq__", "__ne__", "__hash__", "__lt__", "__le__"}
"""What every object has, so that only an own one counts."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One name of PyFlink, and why Flott does not have it; None if it does."""

    module: str
    name: str
    reason: str | None = None


def extract(text: str) -> Listing:
    """Returns the modules of a listing that the table is about."""
    return {module: classes for module, classes in read(text).items() if module.startswith(PACKAGES)}


def compare(listing: Listing) -> tuple[list[Finding], dict[str, int]]:
    """Returns a finding for each name, and the sizes of the connector and format modules that Flott lacks."""
    findings: list[Finding] = []
    absent: dict[str, int] = {}
    for module, classes in listing.items():
        if module.startswith(OPTIONAL) and _module(module) is None:
            absent[module] = sum(1 for _ in _names(classes))
        else:
            findings += _compare_module(module, classes)
    return findings, absent


def _names(classes: dict[str, Members]) -> Iterator[str]:
    """Yields what is counted: classes, and their members but for constructors that take Java objects."""
    for owner, members in classes.items():
        if owner:
            yield owner
        yield from (f"{owner}.{name}".lstrip(".") for name, arguments in members.items() if _counts(name, arguments))


def _counts(name: str, arguments: str | None) -> bool:
    return name != "__init__" or not any(argument.startswith("j_") for argument in split(arguments or "", ","))


def _compare_module(module: str, classes: dict[str, Members]) -> Iterator[Finding]:
    places = [place for place in (_module(module), _module(module.rpartition(".")[0])) if place is not None]
    for name in _names(classes):
        owner, _, member = name.rpartition(".") if name not in classes else (name, "", "")
        arguments = classes[owner][member] if member else None
        wrong = [_missing(place, owner, member, arguments) for place in places]
        # The first place that has the name at all decides.
        missing = next((one for one in wrong if one != ABSENT), ABSENT)
        yield Finding(module, name, missing and _reason(f"{module}.{name}", missing))


def _module(module: str) -> Any:
    name = module.replace("pyflink", "flott", 1)
    try:
        return import_module(name) if find_spec(name) else None
    except ModuleNotFoundError:
        return None


def _missing(place: Any, owner: str, member: str, arguments: str | None) -> str | None:
    """Returns what is wrong with a name as it is found in a module, or None if nothing is."""
    found = place
    for part in owner.split(".") if owner else ():
        found = getattr(found, part, None)
    if not member or found is None:
        return ABSENT if found is None else None
    value = getattr(found, member, None)
    if member in OPERATORS:
        return None if _has_operator(found, member) else ABSENT
    if value is None:
        # An attribute that only objects have is known by its annotation.
        return None if member in _annotations(found) else ABSENT
    excuse = not_there_yet(value)
    if excuse is not None:
        return excuse
    return None if arguments is None or accepts(value, split(arguments, ",")) else f"arguments differ: {arguments}"


def _has_operator(owner: type, name: str) -> bool:
    """Says whether a class, or else each of its subclasses, has an operator that is not that of every object."""
    # Python makes != of ==.
    name = "__eq__" if name == "__ne__" else name
    if getattr(owner, name) is not getattr(object, name):
        return getattr(owner, name) is not None
    subclasses: list[type] = owner.__subclasses__()
    return bool(subclasses) and all(_has_operator(one, name) for one in subclasses)


def _annotations(owner: Any) -> set[str]:
    return {name for base in getattr(owner, "__mro__", ()) for name in getattr(base, "__annotations__", ())}


def not_there_yet(function: Any) -> str | None:
    """Returns what to do instead of calling a function that only says it is not there yet; else None."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    body = tree.body[0].body if isinstance(tree.body[0], ast.FunctionDef) else []
    returns = any(isinstance(node, ast.Return) for statement in body for node in ast.walk(statement))
    match body[-1:]:
        case [ast.Raise(exc=ast.Call(func=ast.Name(id="not_yet"), args=[_, instead]))] if not returns:
            return f"not there yet; {instead.value!s}" if isinstance(instead, ast.Constant) else "not there yet"
    return None


def accepts(function: Any, arguments: list[str]) -> bool:
    """Says whether a function can be called with the arguments that PyFlink's takes, by position and by name.

    >>> accepts(lambda key, default=None: 0, ["key", "default=None"])
    True
    >>> accepts(lambda name: 0, ["key"])
    False
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return True  # Made in C: nothing is known, and nothing to be named.
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in parameters):
        return True
    plain = [argument for argument in arguments if not argument.startswith("*")]
    own = [parameter for parameter in parameters if parameter.name != "self"]
    if len(plain) > len(own) or len(plain) != len(arguments):
        return False
    # Operators are written as signs, so nobody names their arguments.
    named = not getattr(function, "__name__", "").startswith("__") or function.__name__ == "__init__"
    same = all(not named or a.partition("=")[0] == b.name for a, b in zip(plain, own, strict=False))
    optional = all(b.default is not b.empty for a, b in zip(plain, own, strict=False) if "=" in a)
    return same and optional and all(b.default is not b.empty for b in own[len(plain) :])


def _reason(path: str, missing: str) -> str:
    if missing.startswith("not there yet"):
        return missing
    known = next((reason for pattern, reason in REASONS.items() if fnmatchcase(path, pattern)), UNKNOWN)
    return f"{missing}; {known}" if missing != ABSENT else known


# -------------------------------------------------------------------------------------------------------- the page


def render(findings: list[Finding], absent: dict[str, int]) -> str:
    """Returns the page."""
    lines = [
        "# What of PyFlink's API there is",
        "",
        f"Compared with PyFlink {VERSION} by `make support`; not written by hand. Counted are classes, their",
        "methods and attributes, the values of enumerations and the functions of modules, but no constructors that",
        "take Java objects. A method counts if it takes the arguments that PyFlink's takes. The last column leaves",
        "out what a program can't miss: methods that give out Java objects, and inner workings of PyFlink.",
        "That a name is here says that it can be called; that it does the same, tests say.",
        "",
        "| module | names | supported | of all | of those that apply |",
        "|---|---:|---:|---:|---:|",
    ]
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.module, []).append(finding)
    lines += [row(f"`{module}`", own) for module, own in groups.items()]
    lines += [row(f"**{title}**", own) for title, own in totals(findings).items()]
    lines += ["", "## What is missing, and why", ""]
    for module, own in groups.items():
        lacking = [finding for finding in own if finding.reason is not None]
        if lacking:
            lines += [f"### `{module}`", "", *_by_reason(lacking), ""]
    lines += ["## Connectors and formats that are not there yet", ""]
    lines += [f"- `{module}`: {count} names" for module, count in absent.items()]
    return "\n".join(lines) + "\n"


def totals(findings: list[Finding]) -> dict[str, list[Finding]]:
    """Returns the findings of each part of the API."""
    parts = {"pyflink.common": PACKAGES[:1], "pyflink.datastream": PACKAGES[1:]}
    own = {
        title: [one for one in findings if one.module.startswith(start) and not one.module.startswith(OPTIONAL)]
        for title, start in parts.items()
    }
    both = [one for one in findings if not one.module.startswith(OPTIONAL)]
    return {**own, "both, connectors aside": both, "with the connectors above": findings}


def row(title: str, findings: list[Finding]) -> str:
    """Returns a line of the table."""
    supported = sum(finding.reason is None for finding in findings)
    apply = sum(finding.reason is None or not finding.reason.endswith(NOT_APPLICABLE) for finding in findings)
    return (
        f"| {title} | {len(findings)} | {supported} | {_share(supported, len(findings))} | {_share(supported, apply)} |"
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _by_reason(findings: Iterable[Finding]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        reasons.setdefault(finding.reason or "", []).append(f"`{finding.name}`")
    for reason, names in reasons.items():
        yield f"- {', '.join(names)}: {reason}"


def main(arguments: list[str]) -> int:
    """Writes the page, or with `--extract` the list it is made from; returns the exit code."""
    match arguments:
        case ["--extract", source]:
            listing = extract(Path(source).read_text(encoding="utf-8"))
            API.write_text(json.dumps(listing, indent=1) + "\n", encoding="utf-8")
            return 0
        case [] | [_]:
            document = Path(arguments[0]) if arguments else DOCUMENT
            findings, absent = compare(json.loads(API.read_text(encoding="utf-8")))
            document.write_text(render(findings, absent), encoding="utf-8")
            print("\n".join(row(title, own) for title, own in totals(findings).items()))
            return 0
    print("usage: support_table.py [DOCUMENT] | --extract LISTING", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
