"""The options of a table, each asked for once; what nobody asked for is a mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flott.table.errors import TableError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

REQUIRED = object()


class Options:
    """Reads the options of one table.

    >>> options = Options("t", {"connector": "datagen", "number-of-row": "3"})
    >>> options.text("connector"), options.whole("number-of-rows", None)
    ('datagen', None)
    >>> options.finish()
    Traceback (most recent call last):
    flott.table.errors.TableError: table 't': there is no option 'number-of-row'; did you mean 'number-of-rows'?
    """

    def __init__(self, table: str, given: Mapping[str, str]) -> None:
        self.table = table
        self._given = dict(given)
        self._known: dict[str, None] = {}

    def text(self, key: str, default: str | None = None, *, required: bool = False) -> str | None:
        """Return an option."""
        self._known[key] = None
        value = self._given.get(key, default)
        if value is None and required:
            raise TableError(f"table '{self.table}': the option '{key}' is missing; write it in WITH ('{key}' = '…')")
        return value

    def whole(self, key: str, default: int | None = None) -> int | None:
        """Return an option that is a whole number."""
        value = self.text(key)
        if value is None:
            return default
        try:
            return int(value)
        except ValueError:
            raise TableError(f"table '{self.table}': '{key}' = '{value}' is no whole number") from None

    def number(self, key: str, default: float | None = None) -> float | None:
        """Return an option that is a number."""
        value = self.text(key)
        if value is None:
            return default
        try:
            return float(value)
        except ValueError:
            raise TableError(f"table '{self.table}': '{key}' = '{value}' is no number") from None

    def truth(self, key: str, *, default: bool = False) -> bool:
        """Return an option that is true or false."""
        value = (self.text(key) or str(default)).lower()
        if value not in {"true", "false"}:
            raise TableError(f"table '{self.table}': '{key}' = '{value}' is neither true nor false")
        return value == "true"

    def finish(self) -> None:
        """Refuse options that nobody asked for."""
        for key in self._given:
            if key not in self._known:
                hint = did_you_mean(key, self._known)
                raise TableError(f"table '{self.table}': there is no option '{key}'{hint}")
