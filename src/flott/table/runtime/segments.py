"""Running sums and extremes of groups, over all groups at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Segments:
    """Rows sorted by group, in the order in which they came within each.

    >>> rows = Segments(np.array([0, 1, 0]), 2)
    >>> rows.order.tolist(), rows.back.tolist()
    ([0, 2, 1], [0, 2, 1])
    >>> rows.sums(np.array([5, 6, 7])).tolist()
    [5, 11, 7]
    """

    def __init__(self, groups: NDArray[np.int64], number: int) -> None:
        self.order = np.argsort(groups, kind="stable")
        self.codes = groups[self.order]
        """The group of each row, sorted."""
        self.starts = np.searchsorted(self.codes, np.arange(number))
        self.ends = np.append(self.starts[1:], len(groups)) - 1
        """The last row of each group."""
        self.back = np.empty(len(groups), np.int64)
        """Where the rows stand now that came first, second and so on."""
        self.back[self.order] = np.arange(len(groups))

    def split_after(self, last: NDArray[np.bool_]) -> tuple[Segments, NDArray[np.int64]]:
        """Return smaller groups, which end where ``last`` says, and for each of them the group that it is part of.

        >>> rows, owners = Segments(np.array([0, 1, 0, 0]), 2).split_after(np.array([False, True, False, False]))
        >>> rows.codes.tolist(), owners.tolist()
        ([0, 0, 1, 2], [0, 0, 1])
        """
        begins = np.zeros(len(self.codes), bool)
        begins[self.starts] = True
        begins[1:] |= last[:-1]
        codes = np.cumsum(begins) - 1
        groups = np.empty_like(codes)
        groups[self.order] = codes
        return Segments(groups, int(codes[-1]) + 1), self.codes[begins]

    def sums(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each row the sum of its group so far; what leaves 64 bits wraps."""
        whole = np.cumsum(values)
        before = whole[self.starts] - values[self.starts]
        made: NDArray[np.int64] = whole - before[self.codes]
        return made

    def extremes(self, values: NDArray[np.int64], first: NDArray[np.int64], *, largest: bool) -> NDArray[np.int64]:
        """Return for each row the least or largest value of its group so far; ``first`` came before all of them.

        >>> Segments(np.array([0, 0, 0]), 1).extremes(np.array([5, 9, 7]), np.array([6]), largest=True).tolist()
        [6, 9, 9]
        """
        choose = np.maximum if largest else np.minimum
        made: NDArray[np.int64] = values.copy()
        made[self.starts] = choose(made[self.starts], first)
        longest = int((self.ends - self.starts).max(initial=0)) + 1
        step = 1
        while step < longest:
            # Each row takes in what the row so far before it has gathered, twice as far each time.
            same = self.codes[step:] == self.codes[:-step]
            made[step:] = np.where(same, choose(made[step:], made[:-step]), made[step:])
            step *= 2
        return made
