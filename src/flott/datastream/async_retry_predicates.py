"""Ready-made answers to whether an asynchronous call should be tried again."""

from __future__ import annotations

from typing import Any

__all__ = ["empty_result_predicate", "exception_type_predicate", "has_exception_predicate"]


def empty_result_predicate(result: list[Any] | None) -> bool:
    """Says yes to a call that brought nothing.

    >>> empty_result_predicate([]), empty_result_predicate([0])
    (True, False)
    """
    return not result


def has_exception_predicate(error: BaseException | None) -> bool:
    """Says yes to a call that failed in any way."""
    return error is not None


def exception_type_predicate(error: BaseException | None, expected_error_type: type[BaseException]) -> bool:
    """Says yes to a call that failed in a certain way; fix the type with ``functools.partial``.

    >>> exception_type_predicate(ConnectionResetError(), OSError)
    True
    """
    return isinstance(error, expected_error_type)
