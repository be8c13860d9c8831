"""A request and its answer, as routes see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flott.rest.jobs import Jobs


class RefusedError(Exception):
    """A request that can't be fulfilled, and why."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for."""

    jobs: Jobs
    path: Mapping[str, str] = field(default_factory=dict)
    """The parts of the path that the route leaves open."""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)

    def number(self, name: str, default: int, most: int) -> int:
        """Return a number from the query, from 1 to a largest."""
        text = self.query.get(name, str(default))
        # Only ASCII: isdecimal() also knows digits that int() reads but nobody means.
        if not (text.isascii() and text.isdecimal() and 1 <= len(text) <= len(str(most)) and 1 <= int(text) <= most):
            message = f"{name} is '{text}'; give a number from 1 to {most}"
            raise RefusedError(HTTPStatus.BAD_REQUEST, message)
        return int(text)


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes back."""

    content: Any
    """Becomes JSON; bytes go as they are."""
    status: HTTPStatus = HTTPStatus.OK
    content_type: str = "application/json; charset=UTF-8"
