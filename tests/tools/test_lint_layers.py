from __future__ import annotations

import pytest

from lint_layers import EVERYTHING, MAX_LINES, MAY_IMPORT, MAY_IMPORT_LAZILY, lint, main


@pytest.fixture
def findings_of(tmp_path):
    """Writes files into an empty repository and lints it."""

    def write_and_lint(files):
        for name, text in files.items():
            path = tmp_path / "src" / "flott" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return lint(tmp_path)

    return write_and_lint


def test_every_package_named_in_the_rules_has_a_row():
    assert set(MAY_IMPORT) - {""} == EVERYTHING
    assert all(targets <= EVERYTHING for targets in MAY_IMPORT.values())
    assert all(targets <= EVERYTHING for targets in MAY_IMPORT_LAZILY.values())


def test_no_two_packages_import_each_other():
    both_ways = {
        (package, target)
        for package, targets in MAY_IMPORT.items()
        for target in targets
        if target != package and package in MAY_IMPORT[target]
    }
    assert both_ways == set()


# ------------------------------------------------------------------------------------ pyspark


@pytest.mark.parametrize(
    "text",
    [
        "import pyspark",
        "import pyspark.sql.functions as F",
        "from pyspark.sql import SparkSession",
        "def start():\n    from pyspark.sql import SparkSession",
        "import importlib\nimportlib.import_module('pyspark.sql')",
        "from importlib import import_module\nimport_module('pyspark')",
        "__import__('pyspark')",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pyspark.sql import Row",
    ],
)
def test_pyspark_stays_in_its_room(findings_of, text):
    (finding,) = findings_of({"coordination/job": text})
    line = text[: text.rindex("pyspark")].count("\n") + 1
    assert finding.startswith(f"src/flott/coordination/job.py:{line}: pyspark: imports pyspark")


def test_flott_spark_imports_pyspark(findings_of):
    assert findings_of({"spark/session": "from pyspark.sql import SparkSession"}) == []


def test_a_package_that_only_begins_like_pyspark_is_another_one(findings_of):
    assert findings_of({"common/x": "import pyspark_extension"}) == []


# ------------------------------------------------------------------------------------ determinism


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import time", "time"),
        ("from time import monotonic", "time.monotonic"),
        ("def f():\n    import time", "time"),
        ("import random", "random"),
        ("import secrets", "secrets"),
        ("from datetime import datetime\nnow = datetime.now()", "datetime.datetime.now"),
        ("from datetime import datetime as D\nnow = D.utcnow()", "datetime.datetime.utcnow"),
        ("import datetime as dt\nnow = dt.datetime.now(dt.UTC)", "datetime.datetime.now"),
        ("import datetime\ntoday = datetime.date.today()", "datetime.date.today"),
        ("import uuid\nname = uuid.uuid4()", "uuid.uuid4"),
        ("from uuid import uuid4", "uuid.uuid4"),
        ("import os\nnoise = os.urandom(8)", "os.urandom"),
        ("import os\nsource = os.urandom", "os.urandom"),
        ("import numpy as np\nx = np.random.rand()", "numpy.random.rand"),
        ("from numpy.random import default_rng", "numpy.random.default_rng"),
        ("import pandas as pd\nx = pd.Timestamp.now()", "pandas.Timestamp.now"),
        ("__import__('random')", "random"),
    ],
)
def test_the_runtime_reads_no_clock_and_no_randomness(findings_of, text, name):
    (finding,) = findings_of({"runtime/windowing/valve": text})
    assert f": determinism: uses {name};" in finding
    assert finding.startswith("src/flott/runtime/windowing/valve.py:")


@pytest.mark.parametrize("package", ["connectors", "cep", "graph", "metrics"])
def test_other_packages_do_not_ask_for_the_time_of_day(findings_of, package):
    (finding,) = findings_of({f"{package}/x": "import time\nx = time.time_ns()"})
    assert f"determinism: uses time.time_ns; flott.{package} reads no wall clock" in finding
    assert findings_of({f"{package}/x": "import time\nx = time.monotonic()\ntime.sleep(0)"}) == []


@pytest.mark.parametrize(
    "text",
    [
        "from datetime import datetime, timedelta\nx = datetime.fromtimestamp(0)",
        "import uuid\nx = uuid.UUID(int=0)",
        "import os\nx = os.getpid()",
        "import timeit",
        "from flott.common.time import Time",
        "class Clock:\n    def time(self): return 0\nx = Clock().time()",
        "def f(time):\n    return time.milliseconds",
    ],
)
def test_the_runtime_may_use_what_only_looks_like_a_clock(findings_of, text):
    assert findings_of({"runtime/timers": text}) == []


def test_other_packages_read_the_clock(findings_of):
    assert findings_of({"coordination/clock": "import time, random\nnow = time.time()"}) == []


# ------------------------------------------------------------------------------------ direction


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("errors", "common"),
        ("common/row", "runtime.batch"),
        ("runtime/chain", "graph"),
        ("runtime/chain", "coordination.job"),
        ("graph/epoch_plan", "datastream"),
        ("datastream/data_stream", "table"),
        ("table/table", "spark"),
        ("cep/pattern", "coordination"),
        ("connectors/kafka", "coordination"),
        ("connectors/kafka", "datastream"),
        ("coordination/job", "spark.epoch"),
        ("coordination/job", "datastream"),
        ("spark/epoch", "datastream"),
        ("spark/epoch", "table"),
        ("testing/harness", "spark"),
        ("testing/harness", "cli"),
        ("datastream/data_stream", "cli.main"),
        ("__init__", "datastream"),
    ],
)
def test_an_import_against_the_direction_is_found(findings_of, module, target):
    package = module.partition("/")[0]
    for statement in (f"import flott.{target}", f"from flott.{target} import X"):
        (finding,) = findings_of({module: f"\n{statement}\n"})
        assert ":2: layers: " in finding
        assert f"may not import flott.{target};" in finding
        assert package in finding


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("common/row", "errors"),
        ("common/row", "common.types"),
        ("runtime/chain", "common"),
        ("graph/epoch_plan", "runtime.chain"),
        ("datastream/data_stream", "graph"),
        ("table/table", "datastream"),
        ("connectors/kafka", "runtime"),
        ("datastream/connectors/kafka", "connectors"),
        ("coordination/job", "connectors.number_seq"),
        ("spark/epoch", "coordination"),
        ("spark/epoch", "connectors"),
        ("testing/harness", "coordination"),
        ("cli/main", "spark"),
        ("__init__", "errors"),
    ],
)
def test_an_import_along_the_direction_is_fine(findings_of, module, target):
    assert findings_of({module: f"from flott.{target} import X"}) == []


def test_a_name_of_the_root_package_is_no_package(findings_of):
    assert findings_of({"common/version": "from flott import __version__"}) == []


@pytest.mark.parametrize("text", ["from flott import graph", "from .. import graph"])
def test_a_package_imported_from_the_root_is_found(findings_of, text):
    (finding,) = findings_of({"runtime/chain": text})
    assert "flott.runtime may not import flott.graph; it may import common, errors." in finding


def test_relative_imports_are_resolved(findings_of):
    assert findings_of({"runtime/state/store": "from ..batch import Batch\nfrom . import x"}) == []
    (finding,) = findings_of({"runtime/state/store": "from ...graph.node import Node"})
    assert "may not import flott.graph.node" in finding


def test_relative_imports_of_a_package_are_resolved(findings_of):
    (finding,) = findings_of({"runtime/__init__": "from .batch import Batch\nfrom ..graph import Node"})
    assert finding.startswith("src/flott/runtime/__init__.py:2: layers:")


def test_an_import_for_types_only_is_still_a_dependency(findings_of):
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from flott.graph import Node"
    (finding,) = findings_of({"runtime/chain": text})
    assert finding.startswith("src/flott/runtime/chain.py:3: layers:")


def test_a_package_without_a_row_is_asked_for_one(findings_of):
    (finding,) = findings_of({"weather/rain": "x = 1"})
    assert "package flott.weather has no row in MAY_IMPORT" in finding


# ------------------------------------------------------------------------------------ lazy imports

LAZY = "def run():\n    from flott.{} import X\n"


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("datastream/data_stream", "coordination.job"),
        ("datastream/stream_execution_environment", "coordination.job"),
        ("datastream/stream_execution_environment", "spark.executor"),
        ("testing/spark", "spark"),
        ("cli/run", "spark"),
    ],
)
def test_these_imports_may_be_lazy(findings_of, module, target):
    assert findings_of({module: LAZY.format(target)}) == []


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("datastream/data_stream", "coordination.job"),
        ("datastream/stream_execution_environment", "spark.executor"),
        ("testing/spark", "spark"),
    ],
)
def test_these_imports_must_be_lazy(findings_of, module, target):
    (finding,) = findings_of({module: f"from flott.{target} import X"})
    assert "only inside a function; move the import there." in finding


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("datastream/data_stream", "spark.executor"),
        ("coordination/job", "spark"),
        ("testing/harness", "spark"),
        ("table/environment", "coordination"),
        ("runtime/chain", "graph"),
        ("common/job_client", "cli"),
    ],
)
def test_a_lazy_import_does_not_get_around_the_rules(findings_of, module, target):
    (finding,) = findings_of({module: LAZY.format(target)})
    assert f"may not import flott.{target};" in finding


# ------------------------------------------------------------------------------------ names, length


@pytest.mark.parametrize("module", ["runtime/utils", "common/helpers", "common/utils/text"])
def test_a_name_that_says_nothing_is_found(findings_of, module):
    (finding,) = findings_of({module: "x = 1"})
    assert ":1: name: " in finding


def test_names_are_checked_in_tests_too(findings_of, tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "helpers.py").write_text("x = 1")
    assert [line.split(":")[0] for line in findings_of({"common/row": ""})] == ["tests/helpers.py"]


def test_a_file_as_long_as_allowed_is_fine(findings_of):
    assert findings_of({"common/row": "x = 1\n" * MAX_LINES}) == []


def test_a_file_one_line_longer_is_found(findings_of):
    (finding,) = findings_of({"common/row": "x = 1\n" * (MAX_LINES + 1)})
    assert finding.startswith("src/flott/common/row.py:401: length: 401 lines, at most 400")


# ------------------------------------------------------------------------------------ the command


def test_the_command_prints_findings_and_fails(findings_of, tmp_path, capsys):
    findings = findings_of({"common/row": "import pyspark", "runtime/chain": "import time"})
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == findings


def test_the_command_is_quiet_about_a_clean_house(findings_of, tmp_path, capsys):
    findings_of({"common/row": "from flott.errors import FlottError"})
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "layers: ok\n"


def test_the_command_refuses_a_folder_that_is_no_repository(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2
    assert "has no src/flott" in capsys.readouterr().err
