"""Complex event processing: patterns over streams."""

from __future__ import annotations

from flott.cep.errors import CepError, MalformedPatternError
from flott.cep.group_pattern import GroupPattern
from flott.cep.pattern import Pattern
from flott.cep.quantifier import WithinType
from flott.cep.skip_strategy import AfterMatchSkipStrategy

__all__ = ["AfterMatchSkipStrategy", "CepError", "GroupPattern", "MalformedPatternError", "Pattern", "WithinType"]
