"""JSON in the Table API and in aggregates; what single expressions give is in json_expressions.yaml."""

from __future__ import annotations

import pytest

from flott.errors import FlottError
from flott.table import DataTypes
from flott.table.errors import ValidationError
from flott.table.expression import (
    JsonExistsOnError,
    JsonOnNull,
    JsonQueryOnEmptyOrError,
    JsonQueryWrapper,
    JsonType,
    JsonValueOnEmptyOrError,
)
from flott.table.expressions import (
    col,
    json,
    json_array,
    json_array_agg,
    json_object,
    json_object_agg,
    json_string,
    lit,
    null_of,
)

pytestmark = pytest.mark.job


@pytest.fixture
def documents(t_env):
    data = ['{"name": "Flink", "n": 3, "tags": ["a", "b"]}', '{"name": null}', "no JSON", None]
    kind = DataTypes.ROW([DataTypes.FIELD("id", DataTypes.INT()), DataTypes.FIELD("data", DataTypes.STRING())])
    table = t_env.from_elements(list(enumerate(data)), kind)
    t_env.create_temporary_view("documents", table)
    return table


def column(table, *expressions):
    with table.select(*expressions).execute().collect() as found:
        return [tuple(row) if len(expressions) > 1 else row[0] for row in found]


def test_values(documents):
    data, default = col("data"), JsonValueOnEmptyOrError.DEFAULT
    assert column(documents, data.json_value("$.name")) == ["Flink", None, None, None]
    assert column(documents, data.json_value("lax $.n", DataTypes.INT(), default, 0, default, -1)) == [3, 0, -1, None]
    assert column(documents, data.json_exists("$.n")) == [True, False, False, None]
    assert column(documents, data.json_exists("$.n", JsonExistsOnError.UNKNOWN)) == [True, None, None, None]
    assert column(documents, data.is_json()) == [True, True, False, False]
    assert column(documents, data.is_json(JsonType.ARRAY)) == [False] * 4


def test_parts(documents):
    data = col("data")
    assert column(documents, data.json_query("$.tags")) == ['["a","b"]', None, None, None]
    wrapped = data.json_query("$.n", JsonQueryWrapper.CONDITIONAL_ARRAY, on_error=JsonQueryOnEmptyOrError.EMPTY_OBJECT)
    assert column(documents, wrapped) == ["[3]", "{}", "{}", None]


def test_texts_in_quotes(documents):
    assert column(documents.limit(1), lit('say "x"').json_quote().json_unquote()) == ['say "x"']


def test_documents_are_made(documents):
    made = json_object(JsonOnNull.ABSENT, "id", col("id"), "no", null_of(DataTypes.INT()), "in", json('{"b": 1}'))
    assert column(documents.limit(1), made) == ['{"id":0,"in":{"b":1}}']
    assert column(documents.limit(1), json_array(JsonOnNull.NULL, 1, None, json_array(JsonOnNull.NULL, "x"))) == [
        '[1,null,["x"]]'
    ]
    assert column(documents.limit(1), json_string(col("id"))) == ["0"]


def test_documents_are_made_of_many_rows(t_env, documents):
    known = documents.where(col("id") < 2)
    numbers = col("data").json_value("$.n", DataTypes.INT())
    agg = [json_array_agg(JsonOnNull.NULL, numbers), json_object_agg(JsonOnNull.ABSENT, lit("k"), numbers)]
    assert column(known, *agg)[-1] == ("[3,null]", '{"k":3}')
    with t_env.execute_sql(
        "SELECT JSON_ARRAYAGG(id), JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE JSON_VALUE(data, '$.name')) "
        "FROM documents WHERE id < 2"
    ).collect() as found:
        assert tuple(list(found)[-1]) == ("[0,1]", '{"0":"Flink","1":null}')


def test_what_is_not_there_can_be_an_error(documents):
    wanted = col("data").json_value("$.n", on_error=JsonValueOnEmptyOrError.ERROR)
    with pytest.raises(FlottError, match=r"JSON_VALUE with '\$.n': there is nothing at the path"):
        column(documents, wanted)


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("JSON_VALUE(data, '$.a[?(@.b)]')", "no path into JSON that is known here"),
        ("JSON_VALUE(data, data)", "the path must stand in the query"),
        ("JSON_VALUE(data, '$.a' RETURNING BIGINT)", "can return STRING, BOOLEAN, INT and DOUBLE"),
        ("JSON_EXISTS(id, '$.a')", "the document is INT"),
        ("JSON_OBJECT(data VALUE 1)", "a name in quotes"),
    ],
)
def test_mistakes_are_told(t_env, documents, query, problem):
    with pytest.raises(ValidationError, match=problem):
        t_env.sql_query(f"SELECT {query} FROM documents")  # noqa: S608 - what stands above
