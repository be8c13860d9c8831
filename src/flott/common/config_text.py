"""How lists and maps are written in one line of configuration: `a;b`, `[a, b]`, `{k: v}`.

The bracket forms are the flow style of YAML, restricted to one level of strings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["format_list", "format_map", "parse_list", "parse_map"]

_QUOTES = "'\""
_OPENING = "[{"
_CLOSING = "]}"
# What any YAML reader takes for a string as it stands.
_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z_/][a-z0-9_./;=@+-]*", re.IGNORECASE)


def parse_list(text: str) -> list[str]:
    """Reads a list of strings, items separated by semicolons or in brackets.

    >>> parse_list("a;b"), parse_list("[a, 'b, c']")
    (['a', 'b'], ['a', 'b, c'])
    """
    inner = _inside(text, "[", "]")
    if inner is not None:
        return [_unquote(item) for item in _split(inner, ",")] if inner else []
    return [_unquote(item) for item in _split(text, ";")] if text.strip() else []


def parse_map(text: str) -> dict[str, str]:
    """Reads a map of strings, pairs separated by commas, with or without braces.

    >>> parse_map("a:1,b:2")
    {'a': '1', 'b': '2'}
    >>> parse_map("{a: 'x, y'}")
    {'a': 'x, y'}
    """
    inner = _inside(text, "{", "}")
    body = text.strip() if inner is None else inner
    pairs = [_split(pair, ":") for pair in _split(body, ",")] if body else []
    for pair in pairs:
        if len(pair) != 2:  # noqa: PLR2004
            raise ValueError(
                f"'{':'.join(pair).strip()}' is no pair of a map: write 'key: value', "
                "and put what holds a colon or a comma in quotes"
            )
    return {_unquote(key): _unquote(value) for key, value in pairs}


def format_list(items: Iterable[str]) -> str:
    """Writes a list of strings so that `parse_list`, and any YAML reader, reads it back.

    >>> format_list(["a", "b, c"])
    "[a, 'b, c']"
    """
    return f"[{', '.join(map(_quote, items))}]"


def format_map(pairs: Mapping[str, str]) -> str:
    """Writes a map of strings so that `parse_map`, and any YAML reader, reads it back.

    >>> format_map({"a": "1", "b": "x"})
    "{a: '1', b: x}"
    """
    return "{" + ", ".join(f"{_quote(key)}: {_quote(pairs[key])}" for key in sorted(pairs)) + "}"


def _inside(text: str, opening: str, closing: str) -> str | None:
    trimmed = text.strip()
    if trimmed.startswith(opening) and trimmed.endswith(closing):
        return trimmed[1:-1].strip()
    return None


def _split(text: str, separator: str) -> list[str]:
    """Cuts at the separators that stand outside quotes and brackets; keeps the quotes."""
    parts: list[str] = []
    quote, depth, start = "", 0, 0
    for position, character in enumerate(text):
        if quote:
            # A doubled quote inside quotes closes and opens again at once: the same as staying in.
            if character == quote:
                quote = ""
        elif character in _QUOTES and _may_open(text, start, position):
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    if quote:
        raise ValueError(f"a quote ({quote}) is opened and not closed in: {text}")
    return [*parts, text[start:]]


def _may_open(text: str, start: int, position: int) -> bool:
    """A quote counts at the start of an item or of a map's value; `it's` is no quote."""
    before = text[start:position].rstrip()
    return not before or before[-1] in _QUOTES + _OPENING + ",:"


def _quote(item: str) -> str:
    if _PLAIN.fullmatch(item):
        return item
    return "'" + item.replace("'", "''") + "'"


def _unquote(item: str) -> str:
    trimmed = item.strip()
    quote = trimmed[:1]
    if len(trimmed) > 1 and quote in _QUOTES and trimmed.endswith(quote):
        return trimmed[1:-1].replace(quote * 2, quote)
    return trimmed
