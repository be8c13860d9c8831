"""Reads a listing of PyFlink's public API: modules, classes, and what each class has.

The listing is Markdown with a heading for each module and a line for each class:

>>> read('''### pyflink.common.time
... - **Time**: ctor(milliseconds); to_milliseconds(); static seconds(seconds); __eq__(other)
... - **Unit**(Enum) enum{HOUR, DAY}
... - functions: now()
... ''')
{'pyflink.common.time': {'Time': {'__init__': 'milliseconds', 'to_milliseconds': '', 'seconds': 'seconds',
'__eq__': 'other'}, 'Unit': {'HOUR': None, 'DAY': None}, '': {'now': ''}}}
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Members: TypeAlias = dict[str, str | None]
"""Names with the arguments of each; None for what is no method."""
Listing: TypeAlias = dict[str, dict[str, Members]]
"""Modules, their classes, their members; functions of the module stand under the class named ''."""

MODULE = re.compile(r"### (pyflink\.\S+)")
CLASS = re.compile(
    r"\s*- \*\*(?P<name>[\w.]+)\*\*(\([^)]*\))?( @\w+)*( enum\{(?P<values>[^}]*)\})?(: (?P<members>.*))?"
)
FUNCTIONS = re.compile(r"- functions: (?P<members>.*)")
MEMBER = re.compile(r"(?:static |cls )?(?P<name>\w+)\*?(?P<arguments>\(.*\))?.*")
CLOSING = {")": "(", "]": "[", "}": "{"}


def read(text: str) -> Listing:
    """Returns what a listing lists."""
    listing: Listing = {}
    module: dict[str, Members] = {}
    path: list[str] = []
    for line in text.splitlines():
        if line.startswith("##"):
            heading = MODULE.match(line)
            module = {}
            if heading:
                listing[heading[1]] = module
        elif found := CLASS.fullmatch(line):
            path = _path(path, found["name"], depth=(len(line) - len(line.lstrip())) // 2)
            members = module.setdefault(".".join(path), {})
            members.update(dict.fromkeys(name.strip() for name in (found["values"] or "").split(",") if name.strip()))
            members.update(_members(found["members"] or ""))
        elif functions := FUNCTIONS.fullmatch(line):
            module[""] = dict(_members(functions["members"]))
    return listing


def _path(before: list[str], name: str, depth: int) -> list[str]:
    """Returns the full path of a nested class; the listing names only the last class around it."""
    return [*before[:depth], name.rpartition(".")[2]]


def _members(text: str) -> Iterator[tuple[str, str | None]]:
    for part in split(text, ";"):
        found = MEMBER.fullmatch(part)
        if found:
            name = "__init__" if found["name"] == "ctor" else found["name"]
            yield name, None if found["arguments"] is None else found["arguments"][1:-1]


def split(text: str, separator: str) -> list[str]:
    """Splits where a separator stands outside of brackets and quotes.

    >>> split("a, b=(1, 2), c=','", ",")
    ['a', 'b=(1, 2)', "c=','"]
    """
    parts, open_brackets, quote = [""], [""], ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in CLOSING.values():
            open_brackets.append(character)
        elif character in CLOSING and open_brackets[-1] == CLOSING[character]:
            open_brackets.pop()
        elif character == separator and len(open_brackets) == 1:
            parts.append("")
            continue
        parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
