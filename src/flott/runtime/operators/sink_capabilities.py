"""What a sink and its writer can do beyond ``create_writer`` and ``write``, resolved once.

These methods are optional, and users' sinks need no base class. So this is the one place that looks for them: for a
sink when the graph is built, for a writer when it was created.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ALIKE = 0.9
"""How similar a method's name must be to a missing one to count as a typo."""

SINK_METHODS = ("restore_writer", "create_committer", "make_durable", "abort_stale")
"""Of a sink: without them, output or state would be lost silently."""
WRITER_METHODS = ("flush", "prepare_commit", "snapshot_state")
"""Of a writer: the same."""


@dataclass(frozen=True, slots=True)
class SinkCapabilities:
    """The optional methods of a sink; None is one that it does not have."""

    restore_writer: Callable[[Any, list[Any]], Any] | None
    create_committer: Callable[[], Any] | None
    make_durable: Callable[..., None] | None
    abort_stale: Callable[[Any, list[Any]], None] | None
    get_transformer: Callable[[], Any] | None
    follows_watermarks: bool
    """Whether also a writer without records gets watermarks."""

    @classmethod
    def of(cls, sink: Any) -> SinkCapabilities:
        """Return those of a sink."""
        return cls(
            restore_writer=_declared(sink, "restore_writer"),
            create_committer=_declared(sink, "create_committer"),
            make_durable=_declared(sink, "make_durable"),
            abort_stale=_declared(sink, "abort_stale"),
            get_transformer=_declared(sink, "get_transformer"),
            follows_watermarks=bool(_declared(sink, "follows_watermarks")),
        )


@dataclass(frozen=True, slots=True)
class WriterCapabilities:
    """The optional methods of a writer; None is one that it does not have."""

    write_batch: Callable[[Any], None] | None = None
    write_watermark: Callable[[int], None] | None = None
    flush: Callable[[bool], None] | None = None
    prepare_commit: Callable[[], Iterable[Any] | None] | None = None
    snapshot_state: Callable[[int], Iterable[Any]] | None = None
    close: Callable[[], None] | None = None

    @classmethod
    def of(cls, writer: Any) -> WriterCapabilities:
        """Return those of a writer; raises GraphError when the name of one is misspelled."""
        check_names(writer, WRITER_METHODS)
        return cls(**{name: _declared(writer, name) for name in cls.__slots__})


def is_sink(given: Any) -> bool:
    """Return whether something is a sink: an object that creates writers."""
    return _declared(given, "create_writer") is not None and not isinstance(given, type)


def close_committer(committer: Any) -> None:
    """Close a committer, if it has ``close``."""
    close = _declared(committer, "close")
    if close is not None:
        close()


def check_names(given: Any, names: tuple[str, ...]) -> None:
    """Refuse an object that lacks one of some methods and has another of nearly that name."""
    own = [name for name in dir(given) if not name.startswith("_")]
    for name in names:
        if name in own:
            continue
        for similar in get_close_matches(name, own, n=1, cutoff=ALIKE):
            if callable(getattr(type(given), similar)):
                raise GraphError(
                    f"{type(given).__qualname__}.{similar}(...) is never called; did you mean {name}(...)?"
                )


def _declared(given: Any, name: str) -> Any:
    return getattr(given, name, None)
