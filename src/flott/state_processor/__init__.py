"""Reads, writes and changes savepoints outside of a job: Flink's ``org.apache.flink.state.api``, in Python.

>>> from flott.state_processor import OperatorIdentifier, SavepointReader, SavepointWriter
"""

from __future__ import annotations

from flott.state_processor.bootstrap import OperatorTransformation, StateBootstrapTransformation
from flott.state_processor.bootstrap_functions import (
    BroadcastStateBootstrapFunction,
    KeyedStateBootstrapFunction,
    StateBootstrapFunction,
)
from flott.state_processor.operator_identifier import OperatorIdentifier
from flott.state_processor.reader_functions import KeyedStateReaderFunction
from flott.state_processor.savepoint_reader import SavepointReader
from flott.state_processor.savepoint_writer import SavepointWriter
from flott.state_processor.state_frame import StateFrame

__all__ = [
    "BroadcastStateBootstrapFunction",
    "KeyedStateBootstrapFunction",
    "KeyedStateReaderFunction",
    "OperatorIdentifier",
    "OperatorTransformation",
    "SavepointReader",
    "SavepointWriter",
    "StateBootstrapFunction",
    "StateBootstrapTransformation",
    "StateFrame",
]
