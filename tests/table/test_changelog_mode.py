"""Streams of changes as tables: which kinds of rows they have, and what these mean."""

from __future__ import annotations

import pytest

from flott.common import Configuration, Row, RowKind, Types
from flott.datastream import StreamExecutionEnvironment
from flott.errors import FlottError
from flott.table import ChangelogMode, Schema, StreamTableEnvironment
from flott.table.errors import NotYetError, TableError
from flott.table.final_rows import final_rows

pytestmark = pytest.mark.job
INSERT, BEFORE, AFTER, DELETE = RowKind.INSERT, RowKind.UPDATE_BEFORE, RowKind.UPDATE_AFTER, RowKind.DELETE
KIND = Types.ROW_NAMED(["k", "v"], [Types.STRING(), Types.INT()])
SCHEMA = Schema.new_builder().column("k", "STRING NOT NULL").column("v", "INT").primary_key("k").build()


@pytest.fixture
def env():
    config = Configuration().set_string("flott.execution.target", "in-process").set_string("parallelism.default", "1")
    return StreamExecutionEnvironment.get_execution_environment(config)


@pytest.fixture
def tables(env):
    return StreamTableEnvironment.create(env)


def table_of(tables, env, rows, schema=SCHEMA, mode=None):
    stream = env.from_collection([Row.of_kind(kind, *values) for kind, *values in rows], KIND)
    return tables.from_changelog_stream(stream, schema, mode)


def changes(table):
    with table.execute().collect() as found:
        return [(row.get_row_kind(), *row) for row in found]


UPSERTS = [(INSERT, "a", 1), (AFTER, "a", 5), (INSERT, "b", 2), (AFTER, "b", 2), (DELETE, "b", None), (DELETE, "c", 1)]


def test_upserts_replace_the_row_of_their_key(tables, env):
    table = table_of(tables, env, UPSERTS, mode=ChangelogMode.upsert())
    assert changes(table) == [
        (INSERT, "a", 1), (BEFORE, "a", 1), (AFTER, "a", 5), (INSERT, "b", 2), (DELETE, "b", 2),
    ]  # fmt: skip


def test_sums_of_upserts(tables, env):
    tables.create_temporary_view("c", table_of(tables, env, UPSERTS, mode=ChangelogMode.upsert()))
    with tables.execute_sql("SELECT SUM(v), COUNT(*) FROM c").collect() as found:
        assert final_rows(found) == [(5, 1)]


def test_upserts_have_a_key(tables, env):
    with pytest.raises(TableError, match="primary_key"):
        table_of(tables, env, UPSERTS, None, ChangelogMode.upsert())
    plain = Schema.new_builder().column("k", "STRING").column("v", "INT").build()
    with pytest.raises(TableError, match="primary_key"):
        table_of(tables, env, UPSERTS, plain, ChangelogMode.upsert())


def test_upserts_take_nothing_back(tables, env):
    with pytest.raises(FlottError, match="no rows of the kind -U"):
        changes(table_of(tables, env, [(INSERT, "a", 1), (BEFORE, "a", 1)], mode=ChangelogMode.upsert()))


def test_all_kinds_are_taken_as_they_are(tables, env):
    given = [(INSERT, "a", 1), (BEFORE, "a", 1), (AFTER, "a", 5), (DELETE, "a", 5)]
    assert changes(table_of(tables, env, given)) == given
    assert changes(table_of(tables, env, given, mode=ChangelogMode.all())) == given


def test_a_stream_that_only_adds_rows(tables, env):
    table = table_of(tables, env, [(INSERT, "a", 1), (INSERT, "a", 2)], mode=ChangelogMode.insert_only())
    assert "changelogMode=[I]" in tables.planner.explain([table.plan], changes=True)
    assert changes(table) == [(INSERT, "a", 1), (INSERT, "a", 2)]


@pytest.mark.parametrize("kind", [BEFORE, AFTER, DELETE])
def test_changes_in_a_stream_that_only_adds_rows_are_refused(tables, env, kind):
    rows = [(INSERT, "a", 1), (kind, "a", 1)]
    with pytest.raises(FlottError, match="this stream only adds rows"):
        changes(table_of(tables, env, rows, mode=ChangelogMode.insert_only()))
    stream = env.from_collection([Row.of_kind(one, *values) for one, *values in rows], KIND)
    with pytest.raises(FlottError, match="this stream only adds rows"):
        changes(tables.from_data_stream(stream))


@pytest.mark.parametrize("mode", ["upsert", 1, object()])
def test_other_modes_are_refused(tables, env, mode):
    with pytest.raises(TableError, match="is not a ChangelogMode"):
        table_of(tables, env, UPSERTS, mode=mode)


def test_streams_of_changes(tables, env):
    table = table_of(tables, env, [(INSERT, "a", 1)])
    tables.to_changelog_stream(table, None, ChangelogMode.all())
    with pytest.raises(TableError, match="updates rows"):
        tables.to_changelog_stream(table, None, ChangelogMode.insert_only())
    with pytest.raises(NotYetError, match="no upserts yet"):
        tables.to_changelog_stream(table, None, ChangelogMode.upsert())
    with pytest.raises(NotYetError, match="no schema yet"):
        tables.to_changelog_stream(table, SCHEMA)
