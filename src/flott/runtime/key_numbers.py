"""Numbers as keys: equal numbers are one key, whatever their type."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

NAN = float("nan")
"""The one NaN among keys: it equals nothing, so dictionaries find it by its identity."""


def of_float(key: Any) -> int | float:
    """Return a float's canonical form: an integer if it is one, so 0 for -0.0; every NaN is the same.

    >>> of_float(-0.0), of_float(2.5)
    (0, 2.5)
    """
    value = float.__float__(key)
    if value.is_integer():
        return int(value)
    return NAN if value != value else value  # noqa: PLR0124


def of_decimal(key: Decimal) -> int | float | Decimal:
    """Return a decimal's canonical form: the integer or float of the same value if there is one.

    >>> of_decimal(Decimal("2.0")), of_decimal(Decimal("2.50")), of_decimal(Decimal("0.10"))
    (2, 2.5, Decimal('0.1'))
    """
    if key.is_nan():
        return NAN
    value = float(key)
    if key.is_infinite():
        return value
    if key == key.to_integral_value():
        return int(key)
    return value if Decimal(value) == key else key.normalize(Context(prec=max(28, len(key.as_tuple().digits))))


def of_fraction(key: Fraction) -> int | float | Decimal | Fraction:
    """Return a fraction's canonical form: an integer, float or decimal of the same value if there is one.

    >>> [of_fraction(Fraction(1, below)) for below in (1, 4, 10, 3)]
    [1, 0.25, Decimal('0.1'), Fraction(1, 3)]
    """
    above, below = key.numerator, key.denominator
    if below == 1:
        return int(above)
    rest, twos = _without(below, 2)
    rest, fives = _without(rest, 5)
    if rest != 1:
        return key if type(key) is Fraction else Fraction(above, below)
    places = max(twos, fives)
    digits = tuple(map(int, str(abs(above) * 10**places // below)))
    return of_decimal(Decimal((int(above < 0), digits, -places)))


def _without(number: int, factor: int) -> tuple[int, int]:
    count = 0
    while number % factor == 0:
        number, count = number // factor, count + 1
    return number, count


def of_numpy_float(key: Any) -> Any:
    """Return the canonical form of a numpy float: that of its exact value."""
    return of_float(float(key)) if np.isnan(key) or np.isinf(key) else of_fraction(Fraction(*key.as_integer_ratio()))


NUMBERS: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    bool: int,
    float: of_float,
    Decimal: of_decimal,
    Fraction: of_fraction,
    np.bool_: int,
    np.integer: int,
    np.float64: lambda key: of_float(float(key)),
    np.floating: of_numpy_float,
}
