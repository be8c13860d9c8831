"""Writing values of one type to a stream of bytes, and reading them back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from io import BytesIO

__all__ = ["TypeSerializer", "VoidNamespaceSerializer"]

T = TypeVar("T")


class TypeSerializer(ABC, Generic[T]):
    """Writes and reads values of one type; a window assigner of your own gives one for its windows.

    >>> from io import BytesIO
    >>> class Text(TypeSerializer[str]):
    ...     def serialize(self, element, stream):
    ...         stream.write(element.encode())
    ...
    ...     def deserialize(self, stream):
    ...         return stream.read().decode()
    >>> stream = BytesIO()
    >>> Text().serialize("swift", stream)
    >>> Text().deserialize(BytesIO(stream.getvalue()))
    'swift'
    """

    @abstractmethod
    def serialize(self, element: T, stream: BytesIO) -> None:
        """Writes a value to the stream."""

    @abstractmethod
    def deserialize(self, stream: BytesIO) -> T:
        """Reads one value from the stream."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class VoidNamespaceSerializer(TypeSerializer[bytes]):
    """Writes nothing, for state that belongs to no window."""

    def serialize(self, element: bytes, stream: BytesIO) -> None:
        """Writes nothing."""

    def deserialize(self, stream: BytesIO) -> bytes:
        """Returns nothing, as bytes."""
        return b""
