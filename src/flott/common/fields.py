"""A field of a record, named where a function of the record would do: so that an engine can see which one it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flott.common.typeinfo import BasicTypeInfo, RowTypeInfo, TupleTypeInfo, TypeInformation

__all__ = ["Field", "field"]


@dataclass(frozen=True, slots=True)
class Field:
    """Takes one field from a record: of a Row or a dict by name, of a tuple by position, of an object by attribute.

    It can be called with a record, as the function it stands for. Unlike a function, it shows which field it takes,
    so that records that come in columns are keyed, timed and aggregated without being looked at one by one.

    >>> from flott.common import Row
    >>> Field("user")(Row(user="ann", amount=3)), Field(1)(("ann", 3)), Field("user")({"user": "bob"})
    ('ann', 3, 'bob')
    """

    name: str | int
    position: int | None = None
    """Where the field is, once the type of the records is known: in Rows and tuples of that type, at this position."""

    def __call__(self, record: Any) -> Any:
        if self.position is not None:
            return record[self.position]
        try:
            return record[self.name]
        except TypeError:
            if isinstance(self.name, str) and hasattr(record, self.name):
                return getattr(record, self.name)
            raise

    def within(self, type_info: TypeInformation | None) -> Field:
        """Returns this field as records of a type have it: with its name and its position, if the type tells.

        >>> from flott.common import Types
        >>> Field("f1").within(Types.TUPLE([Types.STRING(), Types.LONG()]))
        Field(name='f1', position=1)
        """
        if isinstance(type_info, RowTypeInfo):
            names = type_info.get_field_names()
        elif isinstance(type_info, TupleTypeInfo):
            names = [f"f{position}" for position in range(len(type_info.get_field_types()))]
        elif isinstance(type_info, BasicTypeInfo):
            raise ValueError(  # noqa: TRY004 - the type of the records is wrong, not that of an argument
                f"the field '{self.name}' of {type_info!r} does not fit: single values have no fields; "
                f"give a function of the value"
            )
        else:
            return self
        if isinstance(self.name, int):
            if not 0 <= self.name < len(names):
                raise ValueError(f"{type_info!r} has no field {self.name}; it has the fields 0 to {len(names) - 1}")
            return Field(names[self.name], self.name)
        if self.name not in names:
            raise ValueError(f"{type_info!r} has no field '{self.name}'; it has {', '.join(names)}")
        return Field(self.name, names.index(self.name))


def field(name: str | int) -> Field:
    """Names a field of a record, for ``key_by(field("user"))`` and wherever a function of the record is taken.

    >>> field("amount")({"amount": 3})
    3
    """
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        raise TypeError(f"field({name!r}): a field is a name or a position, as in field('user') or field(0)")
    return Field(name)
