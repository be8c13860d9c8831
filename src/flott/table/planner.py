"""From statements to jobs: binds, optimises, translates, and puts the result into a program."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from flott.errors import GraphError
from flott.table.bind.query import QueryBinder
from flott.table.bind.tables import table_plan
from flott.table.catalog import CatalogView
from flott.table.connectors.registry import Connectors
from flott.table.errors import TableError, ValidationError, did_you_mean, told
from flott.table.explain import explained
from flott.table.expr import Expr, Literal
from flott.table.functions.casts import NESTED, check_cast
from flott.table.functions.registry import SignatureError, cast_to
from flott.table.functions.result_types import common_type
from flott.table.nested_columns import part_types
from flott.table.physical.attach import behind
from flott.table.physical.batch import BatchPlans
from flott.table.physical.constraints import enforced
from flott.table.physical.to_stream import StreamBuilder
from flott.table.physical.translate import Settings, Translator
from flott.table.physical.upserts import for_sink
from flott.table.plan.nodes import Field, Node, SinkNode, project
from flott.table.plan.sort import last_sort
from flott.table.rules.optimise import optimise
from flott.table.runtime.conversion import ColumnsToRows
from flott.table.spark_sql.run import query_frame, query_step, whole_query
from flott.table.types import NumericType, is_text, is_timestamp

if TYPE_CHECKING:
    from flott.datastream import StreamExecutionEnvironment
    from flott.datastream.data_stream import DataStream
    from flott.table.catalog import CatalogTable
    from flott.table.catalog_manager import CatalogManager
    from flott.table.physical.step import Step
    from flott.table.spark_sql.query import SparkQuery
    from flott.table.sql.statements import Insert, Query
    from flott.table.table_config import TableConfig
    from flott.table.types import DataType


class Planner:
    """Plans for one TableEnvironment."""

    def __init__(self, manager: CatalogManager, config: TableConfig, environment: StreamExecutionEnvironment) -> None:
        self.manager = manager
        self.config = config
        self.environment = environment
        self.connectors = Connectors()

    # Plans

    def query(self, query: Query) -> Node:
        """Return the plan of a query."""
        with told(query.text, query.place):
            return QueryBinder(self.manager, query.text).bind(query.tree)

    def table(self, path: tuple[str, ...]) -> Node:
        """Return the plan of a table."""
        with told():
            return QueryBinder(self.manager, "").table(path)

    def insert(self, statement: Insert) -> SinkNode:
        """Return the plan of an INSERT."""
        node = self.query(statement.query)
        try:
            with told(statement.text, statement.place):
                return self.into(statement.path, node, statement.columns)
        except ValidationError as error:
            raise ValidationError(error.problem, statement.text, statement.place) from None

    def into(self, path: tuple[str, ...], node: Node, columns: tuple[str, ...] = ()) -> SinkNode:
        """Return a plan that writes into a table: its columns cast to the table's."""
        identifier = self.manager.identify(path)
        table = self.manager.find(identifier)
        if table is None:
            hint = did_you_mean(path[-1], self.manager.table_names())
            raise ValidationError(f"table '{'.'.join(path)}' not found{hint}")
        if isinstance(table, CatalogView):
            raise ValidationError(f"'{'.'.join(path)}' is a view; INSERT INTO a table")
        summary = identifier.as_summary_string()
        return self._into_table(summary, table, node, columns)

    def _into_table(self, path: str, table: CatalogTable, node: Node, columns: tuple[str, ...]) -> SinkNode:
        plan = table_plan(path, table, self.manager.functions)
        stored = {column.name for column in table.schema.columns if column.expression is None and not column.virtual}
        targets = [field for field in plan.fields if field.name in stored]
        chosen = columns or tuple(field.name for field in targets)
        names = [field.name for field in targets]
        for name in chosen:
            if name not in names:
                raise ValidationError(f"table '{path}' has no column '{name}' to write{did_you_mean(name, names)}")
        if len(chosen) != len(node.fields):
            raise ValidationError(
                f"table '{path}' takes {len(chosen)} columns ({', '.join(chosen)}), "
                f"the query gives {len(node.fields)} ({', '.join(field.name for field in node.fields)})"
            )
        refs = dict(zip(chosen, node.refs(), strict=True))
        exprs = [_assigned(refs.get(field.name), field, path) for field in targets]
        cast = project(node, exprs, names)
        return SinkNode(cast.fields, cast, path, table)

    # Steps

    def settings(self) -> Settings:
        """Return what plans depend on."""
        config = self.config
        return Settings(
            config.get_local_timezone(), config.bundles(), self.connectors, config.state_ttl(),
            config.idle_timeout(), config.emit(), config.is_batch(), config.two_phases(),
        )  # fmt: skip

    def _optimised(self, *nodes: Node) -> list[Node]:
        return optimise(*nodes, splits_distinct=self.config.splits_distinct())

    def stream(self, node: Node) -> tuple[Step, DataStream]:
        """Put a plan into the program; return its last step and its stream of columns."""
        [step] = self._steps(node)
        return step, StreamBuilder(self.environment).stream(step)

    def rows(self, node: Node, *, stamped: bool = False, output_type: Any = None) -> tuple[Step, DataStream]:
        """Put a plan into the program; return its last step and its stream of Rows."""
        step, stream = self.stream(node)
        times = [place for place, field in enumerate(node.fields) if field.is_rowtime]
        operator = ColumnsToRows(node.fields, times[0] if stamped and times else None)
        return step, behind(stream, "ToRows", operator, output_type)

    def sinks(self, nodes: list[SinkNode]) -> None:
        """Put several INSERTs into the program; what they share runs once."""
        builder = StreamBuilder(self.environment)
        for node, step in zip(nodes, self._steps(*(node.input for node in nodes)), strict=True):
            with told():
                sink = self.connectors.sink(node.path, node.table, node.fields, step)
                sink.attach(builder.stream(for_sink(self._enforced(node, step), sink)))

    def _enforced(self, node: SinkNode, step: Step) -> Step:
        return enforced(node, step, drop=self.config.drops_nulls(), lengths=self.config.length_enforcer())

    def _steps(self, *nodes: Node) -> list[Step]:
        """Return the last steps of the plans of one program."""
        translator, batch = Translator(self.settings()), BatchPlans()
        with told():
            best = self._optimised(*nodes)
            if not self.config.is_batch():
                return [translator.translate(one) for one in best]
            return [self._batch_step(translator, batch, one) for one in best]

    def _batch_step(self, translator: Translator, batch: BatchPlans, best: Node) -> Step:
        inner = _unsorted(best)
        query = self._spark_query(inner)
        if not isinstance(query, str):
            # What Spark finds wrong, our own operators tell better, or can run.
            with suppress(GraphError):
                frame = query_frame(query, self.settings(), self.config.get_configuration())
                translator.provide(inner, query_step(inner, frame))
                return translator.translate(best)
        return batch.final(translator.translate(best))

    def _spark_query(self, best: Node) -> SparkQuery | str:
        return whole_query(best, self.settings(), self.config.get_configuration())

    def explain(self, nodes: list[Node], *, changes: bool = False) -> str:
        """Return the plans of queries and INSERTs as text."""
        with told():
            return self._explain(nodes, changes=changes)

    def _explain(self, nodes: list[Node], *, changes: bool) -> str:
        plans: list[tuple[Any, Any, Any]] = []
        notes: list[str] = []
        translator, batch = Translator(self.settings()), BatchPlans()
        optimised = self._optimised(*(node.input if isinstance(node, SinkNode) else node for node in nodes))
        for node, best in zip(nodes, optimised, strict=True):
            step = self._explained_step(translator, batch, best, notes)
            if isinstance(node, SinkNode):
                sink = self.connectors.sink(node.path, node.table, node.fields, step)
                plans.append(
                    (node, node.with_inputs(best), _sink_step(node, for_sink(self._enforced(node, step), sink)))
                )
            else:
                plans.append((node, best, step))
        return explained(plans, notes, changes=changes)

    def _explained_step(self, translator: Translator, batch: BatchPlans, best: Node, notes: list[str]) -> Step:
        """Return the step that would run, without asking Spark, and note which way a query in batch mode takes."""
        if not self.config.is_batch():
            return translator.translate(best)
        inner = _unsorted(best)
        query = self._spark_query(inner)
        if isinstance(query, str):
            notes.append(f"Operators of Flott, not one query of Spark SQL: {query}\n")
            return batch.final(translator.translate(best))
        notes.append(f"One query of Spark SQL:\n{query.text}\n")
        translator.provide(inner, query_step(inner))
        return translator.translate(best)


def _unsorted(node: Node) -> Node:
    """Return the part of a plan before its rows are put in order: pieces of what Spark gives are read in any order."""
    sort = last_sort(node)
    return node if sort is None else sort.input


def _sink_step(node: SinkNode, step: Step) -> Step:
    from flott.table.physical.step import Step

    return Step("Sink", node.detail, node.fields, step.append_only, (step,))


def _assigned(expr: Expr | None, field: Field, path: str) -> Expr:
    """Return an expression as what a column of a table takes."""
    if expr is None:
        if not field.type.is_nullable:
            raise ValidationError(f"table '{path}': column '{field.name}' is NOT NULL, so it must be given")
        return Literal(field.type, None)
    if not _assignable(expr.type, field.type):
        raise ValidationError(
            f"table '{path}': column '{field.name}' is {field.type!r}, and the query gives {expr.type!r}; CAST it"
        )
    return cast_to(expr, field.type)


def _assignable(source: DataType, target: DataType) -> bool:
    try:
        check_cast(source, target)
    except SignatureError:
        return False
    both_numbers = isinstance(source, NumericType) and isinstance(target, NumericType)
    both_texts = is_text(source) and is_text(target)
    both_times = is_timestamp(source) and is_timestamp(target)
    if isinstance(source, NESTED):
        pairs = zip(part_types(source), part_types(target), strict=True)
        return all(_assignable(one, other) for (_, one), (_, other) in pairs)
    return common_type([source, target]) is not None or both_numbers or both_texts or both_times


def unknown_statement(statement: Any) -> TableError:
    """Return the error for a statement that stands in the wrong place."""
    return TableError(
        f"{type(statement).__name__} can't be used here; sql_query(…) takes a SELECT, execute_sql(…) the rest"
    )
