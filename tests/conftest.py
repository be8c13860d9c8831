"""Shared by every test.

Markers (declared in pyproject.toml; an unknown one is an error):

- no marker: fast, no Spark, no Java. `make test-fast` runs these in two processes.
- `job`: runs whole jobs in this process, takes long random walks, or needs a server. `make test-jobs` runs these.
- `spark`: uses an embedded Spark session. `make test-spark` runs these in one process.
- `slow`: takes more than ten seconds, or starts a Spark of its own. `make test-slow` runs these.
- `nightly`: takes too long for CI, and a cheaper test covers the same code. `make test-nightly` runs these.
- `values`: the harness of values and keys: the same jobs on all runners. `make test-values` runs these.
- `corpus`: SQL against Flink's recorded answers and against DuckDB. `make sql-corpus` runs these.
- `fuzzer`: random statements for the planner. `make planner-fuzzer` runs these.
- `chaos`: kills processes or breaks storage while a job runs. `make test-chaos` runs these.
- `oracle`: asks PyFlink or Flink whether they do the same. `make oracle` runs these.

Hypothesis profiles, chosen with HYPOTHESIS_PROFILE:

- `dev` (the default): new random examples in every run.
- `quick` and `ci` (what the Makefile sets): few examples, the same in every run, so that a red build stays red.
- `thorough`: many examples, for a change to windows, valve, key groups, state stores or the NFA.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import settings
from tests.compiled_parts import outdated

from flott.coordination import sizing

# No deadlines: two busy cores make a quick example look slow.
settings.register_profile("dev", deadline=None)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=10)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("thorough", deadline=None, max_examples=2_000, print_blob=True)
settings.register_profile("hunt", deadline=None, max_examples=60, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

# Tests start many short-lived Java processes, which spend most of their time on optimising code that then hardly runs.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# No test leaves a process behind that writes the archive of Spark's classes.
os.environ.setdefault("FLOTT_CLASS_ARCHIVE", "off")

MEMORY = Path("/dev/shm")  # noqa: S108 - files are made in it by tempfile
ENOUGH_MEMORY = 2**31
"""Bytes that must be free there; a container may have only a little of it."""
MARK_OF_FILE = re.compile(r"^pytestmark = pytest\.mark\.(\w+)$", re.MULTILINE)


def keep_arrow_from_importing_pandas():
    """Let Arrow look for pandas while it can't be found: it looks once, with the first array, and that takes long."""
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, hidden := WithoutPandas())
        pa.array([1])
        sys.meta_path.remove(hidden)


class WithoutPandas:
    """Finds no pandas."""

    def find_spec(self, name, path=None, target=None):
        if name == "pandas":
            raise ModuleNotFoundError(name, name=name)


def pytest_configure(config):
    """Save time: tests are many and small; and don't test what was compiled from other sources."""
    if not os.environ.get("FLOTT_PURE") and (modules := outdated()):
        pytest.exit(f"{', '.join(modules)} changed since they were compiled: run `make native`", returncode=4)
    gc.disable()  # until everything is collected
    # A shell that starts pytest in the background has it ignore Ctrl-C, and so do all processes that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "not spark" in config.option.markexpr:
        keep_arrow_from_importing_pandas()
    # Thousands of small stores come and go: on a disk, making and removing their folders takes longer than the tests.
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ENOUGH_MEMORY:
        folder = tempfile.mkdtemp(prefix="flott-tests-", dir=MEMORY)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        # Whatever tests leave there would take memory until the machine starts anew.
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_ignore_collect(collection_path, config):
    """Do not even import a file whose tests will all be deselected by `-m`."""
    if collection_path.match("test_*.py") and "not " in config.option.markexpr:
        mark = MARK_OF_FILE.search(collection_path.read_text(encoding="utf-8"))
        if mark and f"not {mark[1]}" in config.option.markexpr:
            return True
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Look for examples in the docstrings of sources only, not in tests."""
    collectors = yield
    return [one for one in collectors if type(one).__name__ != "DoctestModule"]


def pytest_collection_modifyitems(items):
    """Refuse names with an address in them: two processes of a run would not agree on what the tests are."""
    addressed = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]", item.nodeid)]
    if addressed:
        raise pytest.UsageError(f"give the parameters of these tests names without addresses (ids=): {addressed}")


def pytest_collection_finish(session):
    """What was collected stays: keep the garbage collector from looking at it again and again."""
    gc.freeze()
    gc.set_threshold(100_000)  # and from looking all the time at what small tests make
    gc.enable()


@pytest.fixture(autouse=True, scope="module")
def epochs_that_grow_slowly():
    """Jobs of tests are small, and many are to fail or be stopped between epochs: these must not outgrow the input."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sizing, "LARGEST_STEP", 4.0)
        yield
