from __future__ import annotations

import importlib.util
from pathlib import Path

import pyarrow as pa
import pytest
import yaml

from flott.table.bind.expressions import ExpressionBinder
from flott.table.bind.scope import Scope
from flott.table.compile import ArrowCompiler, column_of
from flott.table.functions.registry import Session
from flott.table.rules.fold_constants import folded
from flott.table.sql.dialect import parse_expression

HERE = Path(__file__).parent
DOC = """'{"a":1,"b":true,"s":"x","n":null,"o":{"k":[1,2.50]},"arr":[1,"2",null],"f":1.0,"big":12345678901234567890,\
"e":1e3}'"""
CASES = [
    (text.replace("DOC", DOC), wanted)
    for name in ("expressions.yaml", "json_expressions.yaml")
    for text, wanted in yaml.safe_load((HERE / name).read_text(encoding="utf-8"))
]
spec = importlib.util.spec_from_file_location("transcript", HERE / "transcript.py")
transcript = importlib.util.module_from_spec(spec)
spec.loader.exec_module(transcript)


@pytest.mark.parametrize(("text", "wanted"), CASES, ids=[text for text, _ in CASES])
def test_gives(text, wanted):
    bound = ExpressionBinder(Scope((), text), {}).bind(parse_expression(text))
    computed = column_of(ArrowCompiler().compile(bound)([pa.array([0, 0])], 2, Session()), 2)
    assert [transcript.plain(value) for value in computed.to_pylist()] == [wanted, wanted]


@pytest.mark.parametrize(("text", "wanted"), CASES, ids=[text for text, _ in CASES])
def test_gives_the_same_when_constants_are_folded(text, wanted):
    bound = folded(ExpressionBinder(Scope((), text), {}).bind(parse_expression(text)))
    computed = column_of(ArrowCompiler().compile(bound)([], 1, Session()), 1)
    assert transcript.plain(computed[0].as_py()) == wanted
