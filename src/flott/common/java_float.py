"""Floating point numbers as Java writes them, which is how Flink does."""

from __future__ import annotations

import math
from decimal import Decimal

__all__ = ["java_float"]

SMALLEST_PLAIN, LARGEST_PLAIN = 1e-3, 1e7
"""Below the one, and from the other on, Java writes a floating point number with an exponent."""


def java_float(value: float, *, single: bool = False) -> str:
    """Write a floating point number; a ``single`` one has 32 bits, and fewer digits tell it from its neighbours.

    >>> java_float(1e7), java_float(0.5), java_float(float("nan"))
    ('1.0E7', '0.5', 'NaN')
    >>> java_float(0.10000000149011612, single=True)
    '0.1'
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    text = _single(value) if single else repr(value)
    if value == 0 or SMALLEST_PLAIN <= abs(value) < LARGEST_PLAIN:
        return text
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    first, *rest = map(str, digits)
    power = len(rest) + int(exponent)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{power}"


def _single(value: float) -> str:
    import numpy as np

    return str(np.float32(value))
