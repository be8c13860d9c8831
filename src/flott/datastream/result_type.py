"""For sources and formats that know the type of what they produce."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flott.common.typeinfo import TypeInformation

__all__ = ["ResultTypeQueryable"]


class ResultTypeQueryable(ABC):
    """Tells the type of the records it produces, so that programs need not."""

    @abstractmethod
    def get_produced_type(self) -> TypeInformation:
        """Returns the type of the records."""
