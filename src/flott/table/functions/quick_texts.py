"""Functions of texts by Arrow, all at once, where it does what they do row by row."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

PLAIN = r"[\w &/:=,;@#%~<>\"'!-]"
"""What stands for itself in a regular expression, whoever reads it."""
PART = re.compile(rf"\[\^?{PLAIN}+\]|\((?!\?)|[)|*+?^]|{PLAIN}", re.ASCII)
SIMPLE = re.compile(f"(?:{PART.pattern})*", re.ASCII)
REPEATED = (["?"], ["*"], ["+"])


def constants(*args: Any) -> list[Any] | None:
    """Return the values of arguments that are the same for all rows, and not NULL; None if one is not.

    >>> constants(pa.scalar("a"), pa.scalar(1)), constants(pa.array(["a"])), constants(pa.scalar(None, pa.string()))
    (['a', 1], None, None)
    """
    if not all(isinstance(arg, pa.Scalar) and arg.is_valid for arg in args):
        return None
    return [arg.as_py() for arg in args]


def split_part(column: Any, separator: str, index: int) -> Any:
    """Return the parts with a number, counted from 0, of texts that are split; NULL where there is none.

    >>> split_part(pa.array(["a/b", "c", None]), "/", 1).to_pylist()
    ['b', None, None]
    """
    parts = pc.split_pattern(column, separator)
    starts = parts.offsets.to_numpy()
    places = starts[:-1] + index
    filled = pc.fill_null(pc.not_equal(column, ""), fill_value=False).to_numpy(zero_copy_only=False)
    # An empty string has no parts.
    there = (places < starts[1:]) & (index >= 0) & filled
    return parts.values.take(pa.array(np.where(there, places, 0), mask=~there))


def extracted(column: Any, pattern: str, group: int) -> Any | None:
    """Return what a group of a regular expression matched; None if Arrow might read the expression differently.

    >>> extracted(pa.array(["a=1", "b=2&a=3", "c"]), "(^|&)a=([^&]*)", 2).to_pylist()
    ['1', '3', None]
    """
    named = _with_one_group(pattern, group)
    if named is None:
        return None
    try:
        found = pc.extract_regex(column, named)
    except pa.ArrowInvalid:
        return None
    made = found.field("found")
    return pc.if_else(found.is_valid(), made, pa.scalar(None, made.type)) if found.null_count else made


@lru_cache(maxsize=256)
def _with_one_group(pattern: str, wanted: int) -> str | None:
    """Return an expression with the wanted group alone, if that takes part in every match and all else is simple.

    >>> _with_one_group("(^|&)a=([^&]*)", 2), _with_one_group("x(y)?", 1), _with_one_group("a|(b)", 1)
    ('(?:^|&)a=(?P<found>[^&]*)', None, None)
    """
    if not _is_simple(pattern):
        return None
    if wanted == 0:
        pattern, wanted = f"({pattern})", 1
    parts = PART.findall(pattern)
    depths = list(accumulate((part == "(") - (part == ")") for part in parts))
    groups = [place for place, part in enumerate(parts) if part == "("]
    if not 0 < wanted <= len(groups) or ("|", 0) in zip(parts, depths, strict=True):
        return None
    start = groups[wanted - 1]
    end = depths.index(0, start) if depths[start] == 1 else -1
    if end < 0 or parts[end + 1 : end + 2] in REPEATED:
        return None  # It is part of another group, or need not be there once.
    named = dict.fromkeys(groups, "(?:") | {start: "(?P<found>"}
    return "".join(named.get(place, part) for place, part in enumerate(parts))


def _is_simple(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return SIMPLE.fullmatch(pattern) is not None
