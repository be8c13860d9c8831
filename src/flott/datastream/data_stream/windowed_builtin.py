"""Built-in aggregates of windows: in columns where stream and windows allow it, else record by record."""

from __future__ import annotations

from collections import Counter
from hashlib import md5
from typing import TYPE_CHECKING, Any

from flott.common.fields import Field
from flott.common.typeinfo import BasicType, BasicTypeInfo, RowTypeInfo, TupleTypeInfo, Types
from flott.errors import GraphError
from flott.graph.transformations import (
    PartitionTransformation,
    PhysicalTransformation,
    UnionTransformation,
)
from flott.runtime.partitioners import KeyGroupHash
from flott.runtime.windowing.session_assigners import EventTimeSessionWindows
from flott.runtime.windowing.triggers import EventTimeTrigger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flott.common.typeinfo import TypeInformation
    from flott.datastream.data_stream.keyed import KeyedStream
    from flott.graph.transformations import Transformation
    from flott.runtime.windowing.spec import WindowSpec
    from flott.runtime.windowing.vectorised.aggregates import Aggregate
    from flott.runtime.windowing.vectorised.plan import AggregatePlan, Output

__all__ = ["BuiltIn", "built_in_aggregates", "in_columns", "whole_record"]

WHOLE = {BasicType.BYTE, BasicType.SHORT, BasicType.INT, BasicType.LONG}
NUMBERS = WHOLE | {BasicType.FLOAT, BasicType.DOUBLE}
PLAIN = NUMBERS | {BasicType.STRING, BasicType.CHAR, BasicType.BOOLEAN}
KEYS = WHOLE | {BasicType.STRING, BasicType.CHAR, BasicType.BOOLEAN}
"""Keys whose columns hold them equal exactly if Python does; floating point numbers are not among them."""


def built_in_aggregates(given: Any) -> tuple[Aggregate, ...] | None:
    """Return the built-in aggregates that a user gave, alone or in a list; None if it is something else."""
    if not isinstance(given, (list, tuple)) and not type(given).__module__.endswith("vectorised.aggregates"):
        return None
    from flott.runtime.windowing.vectorised.aggregates import Aggregate

    several = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    for one in several:
        if not isinstance(one, Aggregate):
            raise GraphError(
                f"aggregate([...]): {one!r:.100} is no built-in aggregate; give Count(), Sum('amount') and the like "
                f"from flott.datastream.aggregates, or one AggregateFunction without a list"
            )
    if not several:
        raise GraphError("aggregate([]): say what to compute, as in aggregate([Count(), Sum('amount')])")
    return several


class BuiltIn:
    """Some built-in aggregates over one stream: their fields found, and what their results look like."""

    def __init__(self, call: str, keyed: KeyedStream, aggregates: Sequence[Aggregate], *, over_all: bool) -> None:
        self.keyed = keyed
        self.type_info = keyed.get_type()
        self.over_all = over_all
        self.fields = tuple(None if one.field is None else self._field(call, one.field) for one in aggregates)
        self.aggregates = tuple(aggregates)
        select = keyed.get_key_selector()
        self.key_name = str(select.name) if isinstance(select, Field) else "key"
        names = [*([] if over_all else [self.key_name]), "window_start", "window_end"]
        names += [aggregate.title for aggregate in aggregates]
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise GraphError(
                f"{call}: two fields of the result are called '{twice[0]}'; name one of the aggregates differently, "
                f"as in Sum('amount', name='total')"
            )
        bounds = [Types.LONG(), Types.LONG()]
        types = [*([] if over_all else [keyed.get_key_type()]), *bounds]
        types += [self._type(one, field) for one, field in zip(aggregates, self.fields, strict=True)]
        self.output_type = RowTypeInfo(types, names)

    def _field(self, call: str, name: str | int) -> Field:
        try:
            return Field(name).within(self.type_info)
        except ValueError as error:
            raise GraphError(f"{call}: {error}") from None

    def _type(self, aggregate: Aggregate, field: Field | None) -> TypeInformation:
        own = _types(self.type_info).get(str(field.name)) if field is not None else None
        basic = own.basic_type if isinstance(own, BasicTypeInfo) else None
        if aggregate.whole:
            return Types.LONG()
        if aggregate.label == "avg" and (basic is None or basic in NUMBERS):
            return Types.DOUBLE()
        if aggregate.label == "sum" and basic in NUMBERS:
            return Types.LONG() if basic in WHOLE else Types.DOUBLE()
        return own or Types.PICKLED_BYTE_ARRAY()

    def plan(self, spec: WindowSpec) -> AggregatePlan | None:
        """Return how it is done in columns; None if it can't be."""
        fields = [field for field in self.fields if field is not None]
        if self.over_all or not _fits(self.keyed, spec, [str(field.name) for field in fields]):
            return None
        from flott.runtime.windowing.vectorised.plan import AggregatePlan

        names = {name: str(field.name) for one, field in zip(self.aggregates, self.fields, strict=True)
                 if field is not None and (name := one.field) is not None}  # fmt: skip
        outputs: list[tuple[str, Output]] = [(self.key_name, "key"), ("window_start", "start"), ("window_end", "end")]
        outputs += [(aggregate.title, aggregate.within(names)) for aggregate in self.aggregates]
        arrow = _arrow_types(self.type_info, {self.key_name, *names.values()})
        return AggregatePlan(spec.assigner, self.key_name, arrow, tuple(outputs), lateness=spec.allowed_lateness)


def whole_record(keyed: KeyedStream, spec: WindowSpec, label: str, name: int | str) -> AggregatePlan | None:
    """Return how ``sum``, ``min`` or ``max`` of a field is done in columns, the other fields as in the first record."""
    type_info = keyed.get_type()
    types = _types(type_info)
    try:
        field = str(Field(name).within(type_info).name)
    except ValueError:
        return None  # The record-by-record way says what is wrong.
    plain = all(isinstance(own, BasicTypeInfo) and own.basic_type in PLAIN for own in types.values())
    # Which record is the first of a session depends on which sessions grew together when.
    if not plain or isinstance(spec.assigner, EventTimeSessionWindows) or not _fits(keyed, spec, [field]):
        return None
    from flott.runtime.windowing.vectorised.aggregates import Max, Min, Sum
    from flott.runtime.windowing.vectorised.plan import AggregatePlan

    aggregate = {"sum": Sum, "min": Min, "max": Max}[label](field)
    key = str(keyed.get_key_selector().name)  # type: ignore[attr-defined]
    outputs: list[tuple[str, Output]] = [
        (own, aggregate if own == field else "key" if own == key else ("first", own)) for own in types
    ]
    tuples = isinstance(type_info, TupleTypeInfo)
    arrow = _arrow_types(type_info, set(types))
    lateness = spec.allowed_lateness
    return AggregatePlan(spec.assigner, key, arrow, tuple(outputs), tuples, required=(field,), lateness=lateness)


def _fits(keyed: KeyedStream, spec: WindowSpec, fields: list[str]) -> bool:
    """Say whether stream and windows allow the way in columns."""
    select = keyed.get_key_selector()
    types = _types(keyed.get_type())
    if not isinstance(select, Field) or not types or spec.evictor is not None or spec.late_tag is not None:
        return False
    key = types.get(str(select.name))
    if not isinstance(key, BasicTypeInfo) or key.basic_type not in KEYS or type(spec.trigger) is not EventTimeTrigger:
        return False
    numbers = (types.get(name) for name in fields)
    if not all(isinstance(own, BasicTypeInfo) and own.basic_type in NUMBERS for own in numbers):
        return False
    from flott.runtime.windowing.vectorised.pane_grid import PaneGrid

    return type(spec.assigner) is EventTimeSessionWindows or PaneGrid.fits(spec.assigner)


def _types(type_info: TypeInformation) -> dict[str, TypeInformation]:
    """Return the fields of a Row or tuple type, by name."""
    if isinstance(type_info, RowTypeInfo):
        return dict(zip(type_info.get_field_names(), type_info.get_field_types(), strict=True))
    if isinstance(type_info, TupleTypeInfo):
        return {f"f{position}": own for position, own in enumerate(type_info.get_field_types())}
    return {}


def _arrow_types(type_info: TypeInformation, needed: set[str]) -> dict[str, Any]:
    return {name: own.arrow_type() if name in needed else None for name, own in _types(type_info).items()}


# ---------------------------------------------------------------------------- two operators and the exchange between


def in_columns(keyed: KeyedStream, plan: AggregatePlan, name: str, output_type: TypeInformation) -> Any:
    """Add both halves of a window operation on columns; return the step whose results are those of the windows."""
    from flott.runtime.windowing.vectorised.merging_operator import MergingWindowOperator
    from flott.runtime.windowing.vectorised.merging_sessions import MergingSessionOperator
    from flott.runtime.windowing.vectorised.partials import KEY

    steps = keyed.get_execution_environment().steps
    select = Field(KEY, 0)
    partials = _local(keyed, keyed._unkeyed().get_transformation(), plan)  # noqa: SLF001 - streams know each other
    exchange = PartitionTransformation(
        id=steps.next_id(), name="key_by()", inputs=(partials,), partitioner=KeyGroupHash(select)
    )
    step = PhysicalTransformation(
        id=steps.next_id(),
        name=name,
        inputs=(exchange,),
        output_type=output_type,
        operator=(MergingSessionOperator if plan.sessions else MergingWindowOperator)(plan),
        key_selectors=(select,),
    )
    steps.register(step)
    return step


def _local(keyed: KeyedStream, upstream: Transformation, plan: AggregatePlan) -> Transformation:
    """Put the first half behind each operator that the stream comes from, in its own task."""
    from flott.runtime.windowing.vectorised.local_operator import LocalAggregate
    from flott.runtime.windowing.vectorised.local_sessions import LocalSessions

    environment = keyed.get_execution_environment()
    steps = environment.steps
    if isinstance(upstream, PartitionTransformation):
        return _local(keyed, upstream.inputs[0], plan)  # The exchange behind the first half replaces it.
    if isinstance(upstream, UnionTransformation):
        inputs = tuple(_local(keyed, one, plan) for one in upstream.inputs)
        return UnionTransformation(id=steps.next_id(), name="union()", inputs=inputs)
    origin: Transformation = upstream
    while not isinstance(origin, PhysicalTransformation):
        origin = origin.inputs[0]
    number = steps.next_id()
    step = PhysicalTransformation(
        id=number,
        name="LocalWindowAggregate",
        inputs=(upstream,),
        operator=(LocalSessions if plan.sessions else LocalAggregate)(plan),
        parallelism=1 if origin.parallelism_fixed else origin.parallelism,
    )
    if not environment.get_config().has_auto_generated_uids_enabled():
        # It keeps nothing between epochs that a savepoint would need, so its id need not outlive a change of program.
        step.uid_hash = md5(f"local window aggregate {number}".encode(), usedforsecurity=False).hexdigest()
    steps.register(step)
    return step
