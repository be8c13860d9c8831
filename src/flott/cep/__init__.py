"""Complex event processing: patterns over streams."""

from __future__ import annotations

from flott.cep.cep import CEP
from flott.cep.column_condition import Expression, col
from flott.cep.conditions import ConditionContext, IterativeCondition, SimpleCondition
from flott.cep.errors import CepError, MalformedPatternError
from flott.cep.functions import (
    PatternFlatSelectFunction,
    PatternFlatTimeoutFunction,
    PatternProcessFunction,
    PatternSelectFunction,
    PatternTimeoutFunction,
    TimedOutPartialMatchHandler,
)
from flott.cep.group_pattern import GroupPattern
from flott.cep.pattern import Pattern
from flott.cep.pattern_stream import PatternStream
from flott.cep.quantifier import WithinType
from flott.cep.skip_strategy import AfterMatchSkipStrategy

__all__ = [
    "CEP",
    "AfterMatchSkipStrategy",
    "CepError",
    "ConditionContext",
    "Expression",
    "GroupPattern",
    "IterativeCondition",
    "MalformedPatternError",
    "Pattern",
    "PatternFlatSelectFunction",
    "PatternFlatTimeoutFunction",
    "PatternProcessFunction",
    "PatternSelectFunction",
    "PatternStream",
    "PatternTimeoutFunction",
    "SimpleCondition",
    "TimedOutPartialMatchHandler",
    "WithinType",
    "col",
]
