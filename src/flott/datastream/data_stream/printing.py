"""How records look when they are printed: as Flink prints them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from flott.common.java_float import java_float
from flott.common.typeinfo import ExternalTypeInfo, PickledBytesTypeInfo, RowTypeInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from flott.common.typeinfo import TypeInformation

__all__ = ["Printer", "renderer"]


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints what arrives in the driver, each record on a line of its own.

    >>> Printer("total", str)(1, 4, [42])
    total:2> 42
    >>> Printer(None, str)(0, 1, [42])
    42
    """

    identifier: str | None
    render: Callable[[Any], str]
    stream: Literal["stdout", "stderr"] = "stdout"

    def __call__(self, subtask: int, parallelism: int, values: list[Any]) -> None:
        parts = [self.identifier] if self.identifier else []
        if parallelism > 1:
            parts.append(str(subtask + 1))
        prefix = f"{':'.join(parts)}> " if parts else ""
        # Looked up late, so that whoever redirects the output gets it.
        out = sys.stdout if self.stream == "stdout" else sys.stderr
        out.write("".join(f"{prefix}{self.render(value)}\n" for value in values))
        out.flush()


def renderer(type_info: TypeInformation | None) -> Callable[[Any], str]:
    """Return how values of a type are written: objects as Python does, typed values as Java does.

    >>> from flott.common import Row, Types
    >>> renderer(Types.PICKLED_BYTE_ARRAY())(("a", 1))
    "('a', 1)"
    >>> renderer(Types.TUPLE([Types.STRING(), Types.BOOLEAN()]))(("a", True))
    '(a,true)'
    >>> renderer(Types.ROW([Types.STRING(), Types.LONG()]))(Row("a", 1))
    '+I[a,1]'
    """
    if type_info is None or isinstance(type_info, PickledBytesTypeInfo):
        return str
    if isinstance(type_info, (RowTypeInfo, ExternalTypeInfo)):
        return _render_row
    return _render_java


def _render_row(row: Any) -> str:
    return f"{row.get_row_kind()}[{','.join(map(str, row))}]"


def _render_java(value: Any) -> str:  # noqa: PLR0911 - a case a line
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return java_float(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_render_java, value))})"
    if isinstance(value, list):
        return f"[{', '.join(map(_render_java, value))}]"
    if isinstance(value, dict):
        entries = (f"{_render_java(key)}={_render_java(entry)}" for key, entry in value.items())
        return f"{{{', '.join(entries)}}}"
    return str(value)
