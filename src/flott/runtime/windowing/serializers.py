"""Windows as bytes, for savepoints and for whoever wrote assigners with PyFlink."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from flott.common.serializer import TypeSerializer
from flott.runtime.windowing.windows import CountWindow, GlobalWindow, TimeWindow

if TYPE_CHECKING:
    from io import BytesIO


class TimeWindowSerializer(TypeSerializer[TimeWindow]):
    """Writes a time window as two numbers of eight bytes.

    >>> from io import BytesIO
    >>> stream = BytesIO()
    >>> TimeWindowSerializer().serialize(TimeWindow(-5, 5), stream)
    >>> TimeWindowSerializer().deserialize(BytesIO(stream.getvalue()))
    TimeWindow(start=-5, end=5)
    """

    def serialize(self, element: TimeWindow, stream: BytesIO) -> None:
        """Writes start and end."""
        stream.write(struct.pack(">qq", element.start, element.end))

    def deserialize(self, stream: BytesIO) -> TimeWindow:
        """Reads start and end."""
        return TimeWindow(*struct.unpack(">qq", stream.read(16)))


class CountWindowSerializer(TypeSerializer[CountWindow]):
    """Writes a count window as one number of eight bytes."""

    def serialize(self, element: CountWindow, stream: BytesIO) -> None:
        """Writes the number."""
        stream.write(struct.pack(">q", element.id))

    def deserialize(self, stream: BytesIO) -> CountWindow:
        """Reads the number."""
        return CountWindow(*struct.unpack(">q", stream.read(8)))


class GlobalWindowSerializer(TypeSerializer[GlobalWindow]):
    """Writes the global window as one byte."""

    def serialize(self, element: GlobalWindow, stream: BytesIO) -> None:
        """Writes a byte, so that something is there."""
        stream.write(b"\0")

    def deserialize(self, stream: BytesIO) -> GlobalWindow:
        """Reads the byte."""
        stream.read(1)
        return GlobalWindow.get()
