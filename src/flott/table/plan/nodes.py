"""The logical plan: one frozen node per relational operation, each knowing its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flott.table.expr import InputRef
from flott.table.types import DataTypes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flott.table.expr import AggregateCall, Expr
    from flott.table.types import DataType

ROWTIME = "rowtime"
PROCTIME = "proctime"
WINDOW_START, WINDOW_END, WINDOW_TIME = "window_start", "window_end", "window_time"
SESSION = "SESSION"


@dataclass(frozen=True, slots=True)
class Windows:
    """How a window table function cuts time, in milliseconds."""

    kind: str
    """TUMBLE, HOP, CUMULATE or SESSION."""
    size: int
    """Of SESSION the gap that ends it."""
    slide: int = 0
    """Of HOP the slide, of CUMULATE the step."""
    offset: int = 0
    processing: bool = False
    """Whether rows are in the windows of the moment they are processed at."""
    grouped: bool = False
    """Whether they stand in GROUP BY, where results can be told early and late."""

    def __str__(self) -> str:
        if self.kind == SESSION:
            return f"SESSION(gap={self.size} ms)"
        extra = f", slide={self.slide} ms" if self.slide else ""
        return f"{self.kind}(size={self.size} ms{extra}{f', offset={self.offset} ms' if self.offset else ''})"


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a plan's output."""

    name: str
    type: DataType
    role: str | None = None
    """Whether it is event time, processing time, or a bound of a window."""
    windows: Windows | None = None
    """Of a bound of a window: of which windows."""

    @property
    def is_rowtime(self) -> bool:
        """Whether it is event time that watermarks go with."""
        return self.role in {ROWTIME, WINDOW_TIME}

    def plain(self) -> Field:
        """Return the column as one that has nothing to do with time any more."""
        return Field(self.name, self.type)


@dataclass(frozen=True, slots=True)
class Node:
    """A relational operation."""

    fields: tuple[Field, ...]

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes it reads."""
        return ()

    def with_inputs(self, *inputs: Node) -> Node:
        """Return the node over other inputs."""
        return self

    @property
    def detail(self) -> str:
        """What it does, in one line."""
        return ""

    def walk(self) -> Iterator[Node]:
        """Go over this node and all below it."""
        yield self
        for one in self.inputs:
            yield from one.walk()

    def refs(self) -> list[Expr]:
        """Return all columns as expressions of the node above."""
        return [InputRef(field.type, position) for position, field in enumerate(self.fields)]


@dataclass(frozen=True, slots=True)
class Scan(Node):
    """Reads a table of a connector: its physical and metadata columns."""

    path: str
    table: Any
    """The catalog's table."""

    @property
    def detail(self) -> str:
        return f"table=[{self.path}], fields=[{_names(self)}]"


@dataclass(frozen=True, slots=True)
class StreamScan(Node):
    """Reads a DataStream of the same program."""

    path: str
    stream: Any
    changelog: bool = False
    places: tuple[int, ...] = ()
    """Where the columns are in a record without names."""
    key: tuple[str, ...] = ()
    """The columns that tell its rows apart, if the program says so."""
    upserts: bool = False
    """Whether a row replaces the one of its key, which nothing takes back before."""

    @property
    def detail(self) -> str:
        return f"stream=[{self.path}], fields=[{_names(self)}]{', upserts=[true]' if self.upserts else ''}"


@dataclass(frozen=True, slots=True)
class Values(Node):
    """Rows that stand in the program."""

    rows: tuple[tuple[Any, ...], ...]

    @property
    def detail(self) -> str:
        return f"rows={len(self.rows)}, fields=[{_names(self)}]"


@dataclass(frozen=True, slots=True)
class Columns(Node):
    """Columns that stand in the program."""

    table: Any
    """An Arrow table."""

    @property
    def detail(self) -> str:
        return f"rows={self.table.num_rows}, fields=[{_names(self)}]"


def one_row() -> Values:
    """Return a single row, for what needs no table."""
    return Values((Field("ZERO", DataTypes.INT().not_null()),), ((0,),))


@dataclass(frozen=True, slots=True)
class OneInput(Node):
    """An operation on one input."""

    input: Node

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    def with_inputs(self, *inputs: Node) -> Node:
        return replace(self, input=inputs[0])


@dataclass(frozen=True, slots=True)
class Project(OneInput):
    """Computes columns."""

    exprs: tuple[Expr, ...]

    @property
    def detail(self) -> str:
        pairs = zip(self.exprs, self.fields, strict=True)
        return f"select=[{', '.join(f'{show(expr, self.input)} AS {field.name}' for expr, field in pairs)}]"


@dataclass(frozen=True, slots=True)
class Filter(OneInput):
    """Keeps the rows for which a condition is TRUE."""

    condition: Expr

    @property
    def detail(self) -> str:
        return f"where=[{show(self.condition, self.input)}]"


@dataclass(frozen=True, slots=True)
class Watermark(OneInput):
    """Makes a column event time, which has come as far as an expression says."""

    rowtime: int
    expr: Expr

    @property
    def detail(self) -> str:
        return f"rowtime=[{self.fields[self.rowtime].name}], watermark=[{show(self.expr, self.input)}]"


@dataclass(frozen=True, slots=True)
class WindowTable(OneInput):
    """Puts each row into its windows: a row per window, with the window's bounds."""

    time: int
    windows: Windows
    partition: tuple[int, ...] = ()
    """Of sessions: rows that differ in these columns have sessions of their own."""

    @property
    def detail(self) -> str:
        names = [field.name for field in self.input.fields]
        partition = f", partitionBy=[{', '.join(names[key] for key in self.partition)}]" if self.partition else ""
        return f"windows=[{self.windows}], time=[{names[self.time]}]{partition}"


@dataclass(frozen=True, slots=True)
class Aggregate(OneInput):
    """Groups rows by columns and aggregates each group."""

    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    ttl: int | None = None
    """How many milliseconds the state of a group lives; None if the query does not say."""

    @property
    def detail(self) -> str:
        keys = ", ".join(self.input.fields[key].name for key in self.keys)
        made = ", ".join(
            f"{call} AS {field.name}" for call, field in zip(self.calls, self.fields[len(self.keys) :], strict=True)
        )
        lives = "" if self.ttl is None else f", stateTtl=[{self.ttl} ms]"
        return f"groupBy=[{keys}], select=[{made}]{lives}"

    def window_keys(self) -> tuple[int, int] | None:
        """Return which keys are start and end of one window; None if the groups are no windows."""
        starts = [key for key in self.keys if self.input.fields[key].role == WINDOW_START]
        ends = [key for key in self.keys if self.input.fields[key].role == WINDOW_END]
        return (starts[0], ends[0]) if starts and ends else None


@dataclass(frozen=True, slots=True)
class SortKey:
    """A column to sort by."""

    index: int
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class RowNumber(OneInput):
    """Numbers the rows of each partition in an order; runs only as a Rank."""

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]

    @property
    def detail(self) -> str:
        return _order_detail(self)


@dataclass(frozen=True, slots=True)
class Rank(OneInput):
    """Keeps the first rows of each partition in an order."""

    partition: tuple[int, ...]
    order: tuple[SortKey, ...]
    limit: int
    offset: int = 0
    number: bool = False
    """Whether the last column is the row's number."""

    @property
    def detail(self) -> str:
        first = f"{self.offset + 1} to {self.limit}"
        return f"rows=[{first}], {_order_detail(self)}{', number=[true]' if self.number else ''}"


@dataclass(frozen=True, slots=True)
class Join(Node):
    """Puts rows of two inputs together."""

    left: Node
    right: Node
    kind: str
    """INNER, LEFT, RIGHT, FULL, SEMI or ANTI."""
    condition: Expr | None
    ttls: tuple[int | None, int | None] = (None, None)
    """How many milliseconds the rows of each side live; None where the query does not say."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    def with_inputs(self, *inputs: Node) -> Node:
        return replace(self, left=inputs[0], right=inputs[1])

    @property
    def detail(self) -> str:
        names = [field.name for field in (*self.left.fields, *self.right.fields)]
        where = "TRUE" if self.condition is None else named(self.condition, names)
        lives = ", ".join("default" if one is None else f"{one} ms" for one in self.ttls)
        return f"joinType=[{self.kind}], where=[{where}]{f', stateTtl=[{lives}]' if any(self.ttls) else ''}"


@dataclass(frozen=True, slots=True)
class Union(Node):
    """Takes several inputs as one."""

    parts: tuple[Node, ...]

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.parts

    def with_inputs(self, *inputs: Node) -> Node:
        return replace(self, parts=inputs)

    @property
    def detail(self) -> str:
        return f"union=[{_names(self)}]"


@dataclass(frozen=True, slots=True)
class SinkNode(OneInput):
    """Writes into a table."""

    path: str
    table: Any

    @property
    def detail(self) -> str:
        return f"table=[{self.path}], fields=[{_names(self)}]"


def _order_detail(node: RowNumber | Rank) -> str:
    names = [field.name for field in node.input.fields]
    order = ", ".join(f"{names[key.index]} {'DESC' if key.descending else 'ASC'}" for key in node.order)
    return f"partitionBy=[{', '.join(names[key] for key in node.partition)}], orderBy=[{order}]"


def _names(node: Node) -> str:
    return ", ".join(field.name for field in node.fields)


def show(expr: Expr, node: Node) -> str:
    """Write an expression with the names of the columns below it."""
    return named(expr, [field.name for field in node.fields])


def named(expr: Expr, names: list[str]) -> str:
    """Write an expression with names instead of positions."""
    if isinstance(expr, InputRef):
        return names[expr.index]
    args = getattr(expr, "args", None)
    if args is None:
        return str(expr)
    inner = [named(arg, names) for arg in args]
    name = getattr(expr, "function", "")
    if name in {"CAST", "TRY_CAST"}:
        return f"{name}({inner[0]} AS {expr.type!r})"
    if isinstance(name, str) and len(inner) == 2 and (not name.isalpha() or name in {"AND", "OR"}):  # noqa: PLR2004 - counted on one hand
        return f"({inner[0]} {name.removeprefix('TIME')} {inner[1]})"
    return f"{getattr(expr, 'name', name)}({', '.join(inner)})"


def field_of(expr: Expr, name: str, source: Node) -> Field:
    """Return the column that an expression makes: a column that is handed on keeps its role."""
    if isinstance(expr, InputRef):
        below = source.fields[expr.index]
        return Field(name, expr.type, below.role, below.windows)
    role = PROCTIME if getattr(expr, "function", None) == "PROCTIME" else None
    return Field(name, expr.type, role)


def project(source: Node, exprs: list[Expr], names: list[str]) -> Project:
    """Return a projection."""
    fields = tuple(field_of(expr, name, source) for expr, name in zip(exprs, names, strict=True))
    return Project(fields, source, tuple(exprs))
