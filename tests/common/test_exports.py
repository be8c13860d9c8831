from __future__ import annotations

import os
import subprocess
import sys

import pytest

import flott.common
from flott.common.input_dependency_constraint import InputDependencyConstraint

PYFLINK_NAMES = (
    "Configuration ConfigOption ConfigOptions ExecutionConfig TypeInformation TypeSerializer Types SerializationSchema "
    "DeserializationSchema SimpleStringSchema ByteArraySchema Encoder CompletableFuture InputDependencyConstraint "
    "JobClient JobExecutionResult JobID JobStatus RestartStrategies RestartStrategyConfiguration Row RowKind "
    "WatermarkStrategy Duration Instant Time AssignerWithPeriodicWatermarksWrapper"
)
TYPEINFO_NAMES = (
    "TypeInformation BasicType BasicTypeInfo InstantTypeInfo SqlTimeTypeInfo PrimitiveArrayTypeInfo BasicArrayTypeInfo "
    "ObjectArrayTypeInfo PickledBytesTypeInfo RowTypeInfo TupleTypeInfo DateTypeInfo TimeTypeInfo TimestampTypeInfo "
    "ListTypeInfo MapTypeInfo LocalTimeTypeInfo ExternalTypeInfo Types"
)


def test_every_name_of_pyflink_common_is_here():
    assert len(PYFLINK_NAMES.split()) == 27
    assert set(PYFLINK_NAMES.split()) <= set(flott.common.__all__)
    assert all(hasattr(flott.common, name) for name in flott.common.__all__)
    assert all(hasattr(flott.common.typeinfo, name) for name in TYPEINFO_NAMES.split())


def test_input_dependency_constraint():
    assert [(constraint.name, constraint.value) for constraint in InputDependencyConstraint] == [("ANY", 0), ("ALL", 1)]


@pytest.mark.job
def test_importing_it_loads_neither_arrow_nor_spark():
    script = "import sys, flott.common; print({'pyarrow', 'pyspark', 'numpy', 'pandas'} & set(sys.modules))"
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=paths)
    assert done.stdout.strip() == "set()"
