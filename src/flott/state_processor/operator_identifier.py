"""Which operator of a savepoint is meant."""

from __future__ import annotations

from dataclasses import dataclass

from flott.graph.operator_ids import operator_id_of_uid

__all__ = ["OperatorIdentifier"]


@dataclass(frozen=True, slots=True)
class OperatorIdentifier:
    """An operator, by the uid that the program gives it, or by the hash that savepoints know it by.

    >>> OperatorIdentifier.for_uid("count").get_operator_id()
    'def1941df6767c50f16f03fd67f79575'
    """

    operator_id: str
    uid: str | None = None

    @staticmethod
    def for_uid(uid: str) -> OperatorIdentifier:
        """Return the operator that the program calls ``uid(...)`` on."""
        return OperatorIdentifier(operator_id_of_uid(uid), uid)

    @staticmethod
    def for_uid_hash(uid_hash: str) -> OperatorIdentifier:
        """Return the operator with an id of 32 hexadecimal digits, as messages and ``list_operators()`` show it."""
        return OperatorIdentifier(uid_hash.lower())

    @staticmethod
    def of(given: OperatorIdentifier | str) -> OperatorIdentifier:
        """Return an identifier as it is, a text as a uid."""
        return given if isinstance(given, OperatorIdentifier) else OperatorIdentifier.for_uid(given)

    def get_operator_id(self) -> str:
        """Return the 32 hexadecimal digits."""
        return self.operator_id

    def __str__(self) -> str:
        return f"uid '{self.uid}'" if self.uid is not None else f"id {self.operator_id}"
