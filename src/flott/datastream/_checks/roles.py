"""What each method of a stream takes: which function class, or a callable with which arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flott.datastream import functions as f
from flott.datastream._checks.arity import check_arity, check_plain_result
from flott.datastream._checks.describe import describe
from flott.datastream._checks.picklable import check_picklable
from flott.datastream.functions import fold, output_selector, partition, wrappers
from flott.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "AGGREGATE", "ALL_WINDOW", "BROADCAST_PROCESS", "CO_FLAT_MAP", "CO_MAP", "CO_PROCESS", "FILTER", "FLAT_MAP", "FOLD",
    "KEYED_BROADCAST_PROCESS", "KEYED_CO_PROCESS", "KEYED_PROCESS", "KEY_SELECTOR", "MAP", "MAP_PARTITION",
    "OUTPUT_SELECTOR", "PARTITIONER", "PROCESS", "PROCESS_ALL_WINDOW", "PROCESS_WINDOW", "REDUCE", "SINK",
    "TWO_PHASE_COMMIT", "WINDOW", "Role",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Role:
    """What a user function has to be in one place of the API."""

    base: type[f.Function]
    methods: Mapping[str, tuple[str, ...]]
    """The methods the engine calls, with the arguments it passes; the first stands for a plain callable."""
    place: str
    """Where such a function belongs, as a user writes it."""
    wrapper: Callable[[Callable[..., Any]], Any] | None = None
    """Makes a function object of a plain callable; None where only objects will do."""
    example: str = ""
    """A callable that fits."""
    instead_of_generator: str | None = None
    """What to do with a generator function, where only one value is wanted."""

    def take(self, call: str, function: Any) -> Any:
        """Return the function object for what the user gave; raise a GraphError that teaches if it does not fit."""
        if isinstance(function, type) and issubclass(function, f.Function):
            raise GraphError(
                f"{call}: this is the class {function.__qualname__} itself; "
                f"give an object of it: {function.__qualname__}(...)"
            )
        if isinstance(function, self.base):
            self._check_methods(call, function)
            check_picklable(call, function)
            return function
        if self.wrapper is None or not callable(function) or isinstance(function, f.Function):
            raise GraphError(f"{call}: {self._misfit(function)}")
        method = next(iter(self.methods))
        check_arity(call, function, self.methods[method], self.example)
        check_plain_result(call, function, self.instead_of_generator)
        check_picklable(call, function)
        return self.wrapper(function)

    def _check_methods(self, call: str, function: f.Function) -> None:
        for name, arguments in {**self.methods, "open": ("runtime_context",), "close": ()}.items():
            method = getattr(function, name)
            parameters = ", ".join(("self", *arguments))
            check_arity(call, method, arguments, f"def {name}({parameters})")
            one_value = name in self.methods and self.instead_of_generator is not None
            check_plain_result(call, method, self.instead_of_generator if one_value else None)

    def _misfit(self, function: Any) -> str:
        known = next((role for role in ROLES if isinstance(function, role.base)), None)
        wanted = f"{_article(self.base.__name__)} object"
        if self.wrapper is not None:
            wanted += f" or a callable such as {self.example}"
        if known is not None:
            kind = _article(known.base.__name__)
            return f"{describe(function)} is {kind}, which belongs in {known.place}; here goes {wanted}"
        return f"{describe(function)} does not fit; here goes {wanted}"


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


_ONE = ("value",)
_WITH_CONTEXT = ("value", "ctx")
_ON_TIMER = ("timestamp", "ctx")

MAP = Role(
    f.MapFunction, {"map": _ONE}, "map(...)", wrappers.MapFunctionWrapper, "lambda value: value * 2",
    "use flat_map(...) for any number of results",
)  # fmt: skip
FLAT_MAP = Role(
    f.FlatMapFunction, {"flat_map": _ONE}, "flat_map(...)", wrappers.FlatMapFunctionWrapper, "lambda line: line.split()"
)
FILTER = Role(
    f.FilterFunction, {"filter": _ONE}, "filter(...)", wrappers.FilterFunctionWrapper, "lambda value: value > 0",
    "use flat_map(...) for any number of results",
)  # fmt: skip
REDUCE = Role(
    f.ReduceFunction, {"reduce": ("value1", "value2")}, "reduce(...)", wrappers.ReduceFunctionWrapper,
    "lambda a, b: a + b", "use a KeyedProcessFunction for any number of results",
)  # fmt: skip
FOLD = Role(
    fold.FoldFunction, {"fold": ("accumulator", "value")}, "fold(...)", fold.FoldFunctionWrapper,
    "lambda total, order: total + order.amount", "return the new accumulator",
)  # fmt: skip
AGGREGATE = Role(
    f.AggregateFunction,
    {"create_accumulator": (), "add": ("value", "accumulator"), "get_result": ("accumulator",), "merge": ("a", "b")},
    "window(...).aggregate(...)",
    instead_of_generator="use process(...) for any number of results",
)
KEY_SELECTOR = Role(
    f.KeySelector, {"get_key": _ONE}, "key_by(...)", _plain, "lambda order: order['user']", "drop the yield"
)
MAP_PARTITION = Role(
    partition.MapPartitionFunction, {"map_partition": ("values",)}, "full_window_partition().map_partition(...)",
    partition.MapPartitionFunctionWrapper, "lambda values: [len(values)]",
)  # fmt: skip
OUTPUT_SELECTOR = Role(
    output_selector.OutputSelector, {"select": _ONE}, "split(...)", output_selector.OutputSelectorWrapper,
    "lambda order: [order['country']]",
)  # fmt: skip
PARTITIONER = Role(
    f.Partitioner, {"partition": ("key", "num_partitions")}, "partition_custom(...)", _plain,
    "lambda key, num_partitions: key % num_partitions", "drop the yield",
)  # fmt: skip
PROCESS = Role(f.ProcessFunction, {"process_element": _WITH_CONTEXT}, "process(...) of a stream that is not keyed")
KEYED_PROCESS = Role(
    f.KeyedProcessFunction,
    {"process_element": _WITH_CONTEXT, "on_timer": _ON_TIMER},
    "process(...) of a keyed stream: key_by(...).process(...)",
)
CO_MAP = Role(f.CoMapFunction, {"map1": _ONE, "map2": _ONE}, "connect(...).map(...)")
CO_FLAT_MAP = Role(f.CoFlatMapFunction, {"flat_map1": _ONE, "flat_map2": _ONE}, "connect(...).flat_map(...)")
CO_PROCESS = Role(
    f.CoProcessFunction,
    {"process_element1": _WITH_CONTEXT, "process_element2": _WITH_CONTEXT},
    "connect(...).process(...) of streams that are not keyed",
)
KEYED_CO_PROCESS = Role(
    f.KeyedCoProcessFunction,
    {"process_element1": _WITH_CONTEXT, "process_element2": _WITH_CONTEXT, "on_timer": _ON_TIMER},
    "connect(...).key_by(...).process(...)",
)
BROADCAST_PROCESS = Role(
    f.BroadcastProcessFunction,
    {"process_element": _WITH_CONTEXT, "process_broadcast_element": _WITH_CONTEXT},
    "connect(...broadcast(...)).process(...) of a stream that is not keyed",
)
KEYED_BROADCAST_PROCESS = Role(
    f.KeyedBroadcastProcessFunction,
    {"process_element": _WITH_CONTEXT, "process_broadcast_element": _WITH_CONTEXT, "on_timer": _ON_TIMER},
    "key_by(...).connect(...broadcast(...)).process(...)",
)
WINDOW = Role(f.WindowFunction, {"apply": ("key", "window", "inputs")}, "window(...).apply(...)")
ALL_WINDOW = Role(f.AllWindowFunction, {"apply": ("window", "inputs")}, "window_all(...).apply(...)")
PROCESS_WINDOW = Role(
    f.ProcessWindowFunction,
    {"process": ("key", "context", "elements"), "clear": ("context",)},
    "window(...).process(...)",
)
PROCESS_ALL_WINDOW = Role(
    f.ProcessAllWindowFunction,
    {"process": ("context", "elements"), "clear": ("context",)},
    "window_all(...).process(...)",
)
SINK = Role(f.SinkFunction, {"invoke": ("value", "context")}, "add_sink(...)", instead_of_generator="drop the yield")
_TRANSACTION = ("transaction",)
TWO_PHASE_COMMIT = Role(
    f.TwoPhaseCommitSinkFunction,
    {
        "invoke": ("transaction", "value", "context"),
        "begin_transaction": (),
        "pre_commit": _TRANSACTION,
        "finish_processing": _TRANSACTION,
        "commit": _TRANSACTION,
        "abort": _TRANSACTION,
        "recover_and_commit": _TRANSACTION,
        "recover_and_abort": _TRANSACTION,
    },
    "add_sink(...)",
    instead_of_generator="drop the yield",
)

ROLES = (
    MAP, FLAT_MAP, FILTER, REDUCE, FOLD, AGGREGATE, KEY_SELECTOR, OUTPUT_SELECTOR, PARTITIONER, PROCESS,
    KEYED_PROCESS, MAP_PARTITION, CO_MAP,
    CO_FLAT_MAP, CO_PROCESS, KEYED_CO_PROCESS, BROADCAST_PROCESS, KEYED_BROADCAST_PROCESS, WINDOW, ALL_WINDOW,
    PROCESS_WINDOW, PROCESS_ALL_WINDOW, SINK, TWO_PHASE_COMMIT,
)  # fmt: skip
"""All of them, for finding out where a function would have fitted."""
