"""The end of a process, in tests that go on with what it left."""

from __future__ import annotations


class Killed(BaseException):
    """The process is gone."""
