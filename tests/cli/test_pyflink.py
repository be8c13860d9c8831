"""`flott run --pyflink`: a PyFlink program as it is."""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

import flott.datastream
from flott.cli.main import main
from flott.common.pyflink_imports import JavaOnlyError, PyFlinkFinder, install_pyflink_imports

JOB = """
import sys
from pyflink.common import Types
from pyflink.common.typeinfo import Types as SameTypes
from pyflink.datastream import StreamExecutionEnvironment
import pyflink.datastream.functions as functions

class Shout(functions.MapFunction):
    def map(self, value):
        from pyflink.common import Row
        return Row(value.upper())

env = StreamExecutionEnvironment.get_execution_environment()
env.set_parallelism(1)
env.from_collection(sys.argv[1:], Types.STRING()).map(Shout(), Types.ROW([SameTypes.STRING()])).print()
env.execute()
"""
JAVA_OBJECT = """from pyflink.datastream import StreamExecutionEnvironment
StreamExecutionEnvironment.get_execution_environment()._j_stream_execution_environment
"""


@pytest.fixture(autouse=True)
def _leave_no_trace(monkeypatch):
    before = set(sys.modules)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    yield
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == "pyflink":
            del sys.modules[name]


def run(folder, text, *arguments):
    path = folder / "job.py"
    path.write_text(text)
    command = ["run", "--pyflink", "-D", "flott.execution.target=in-process", str(path), *arguments]
    return CliRunner().invoke(main, command)


@pytest.mark.job
def test_a_pyflink_program_runs_as_it_is(tmp_path, capfd):
    result = run(tmp_path, JOB, "a", "b")
    assert result.exit_code == 0, result.output
    assert (result.stdout + capfd.readouterr().out).split() == ["+I[A]", "+I[B]"]


def test_names_are_the_very_same_objects():
    install_pyflink_imports()
    install_pyflink_imports()  # twice is once
    import pyflink.datastream
    import pyflink.version

    assert pyflink.datastream is flott.datastream
    assert flott.datastream.__spec__.name == "flott.datastream"
    assert pyflink.version.__version__ == "2.3.0"
    assert sum(isinstance(finder, PyFlinkFinder) for finder in sys.meta_path) == 1


def test_java_only_calls_name_the_replacement():
    install_pyflink_imports()
    from pyflink.java_gateway import get_gateway
    from pyflink.util.java_utils import load_java_class

    with pytest.raises(JavaOnlyError, match=r"get_gateway\(\.\.\.\): there is no Java .* derive from Source or Sink"):
        get_gateway()
    with pytest.raises(JavaOnlyError, match=r"load_java_class\(\.\.\.\).*write the function in Python"):
        load_java_class("org.example.Sink")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import pyflink.datastream.connectors.pulsar\n", "line 1: Flott has no connector 'pulsar'"),
        ("from pyflink.common import Nothing\n", "line 1: cannot import name 'Nothing'"),
        (
            JAVA_OBJECT,
            "line 2: '_j_stream_execution_environment' is the Java object behind",
        ),
        ("import nowhere_at_all\n", ""),
    ],
)
def test_what_is_missing_is_one_clear_message(tmp_path, text, message):
    result = run(tmp_path, text)
    assert result.exit_code == 1
    if message:
        assert message in result.output
    else:  # an error of the program itself: its traceback
        assert "ModuleNotFoundError: No module named 'nowhere_at_all'" in result.output
