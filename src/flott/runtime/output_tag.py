"""The name of a side output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from flott.common.typeinfo import RowTypeInfo, TypeInformation, Types

if TYPE_CHECKING:
    from typing_extensions import Self


class OutputTag:
    """Names a side output: ``yield tag, value`` sends a value there instead of to the main output.

    >>> late = OutputTag("late")
    >>> late.tag_id, late == OutputTag("late")
    ('late', True)
    """

    __slots__ = ("tag_id", "type_info")

    in_use: ClassVar[bool] = False
    """Whether this process ever saw a tag; while not, results need not be looked through for tags."""

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        OutputTag.in_use = True
        return super().__new__(cls)

    def __init__(self, tag_id: str, type_info: Any = None) -> None:
        if not tag_id:
            message = f'a side output needs a name, not {tag_id!r}: OutputTag("late")'
            raise ValueError(message)
        if isinstance(type_info, list):
            type_info = RowTypeInfo(type_info)
        if type_info is not None and not isinstance(type_info, TypeInformation):
            message = (
                f"the type of side output '{tag_id}' is {type_info!r}; give a type such as Types.STRING(), or none"
            )
            raise TypeError(message)
        self.tag_id = tag_id
        self.type_info: TypeInformation = type_info or Types.PICKLED_BYTE_ARRAY()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OutputTag) and self.tag_id == other.tag_id

    def __hash__(self) -> int:
        return hash(self.tag_id)

    def __repr__(self) -> str:
        return f"OutputTag({self.tag_id!r})"
