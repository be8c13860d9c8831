"""Wheel and sdist build from what is in the repository, need no compiler, and hold all that Flott needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from flott import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ASK = """
from importlib.resources import files
from pathlib import Path

import flott
from flott.rest.openapi import document
from flott.web.assets import find

place = Path(flott.__file__).parent
assert "site-packages" in place.parts, place
assert (place / "py.typed").exists()
assert b"<!doctype html>" in find("/").data.lower()
assert document()["openapi"]
assert (files("flott.cli") / "skeleton" / "job.py.txt").is_file()
assert (files("flott.spark") / "log4j2.properties").is_file()
print("all there")
"""


def run(*command, **options):
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of what git knows, as it stands: nothing that an earlier build or run left."""
    copy = tmp_path_factory.mktemp("clone")
    known = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).split("\0")
    for name in filter(None, known):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def built(clone):
    """The folder with wheel and sdist; no compiler is found while they are built."""
    environment = {**os.environ, "CC": "no-compiler", "CXX": "no-compiler"}
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", clone / "dist", clone, env=environment)
    return clone / "dist"


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """The programs of a new environment in which the wheel is installed; what it depends on is taken from here."""
    place = tmp_path_factory.mktemp("venv")
    venv.create(place, with_pip=False)
    (wheel,) = built.glob("*.whl")
    python = place / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel)
    packages = run(sys.executable, "-c", "import click; print(click.__path__[0])").strip()
    (site,) = (place / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(f"{Path(packages).parent}\n")
    return place / "bin"


def clean(environment=os.environ):
    return {name: value for name, value in environment.items() if name != "PYTHONPATH"}


def test_the_wheel_fits_every_machine(built):
    (wheel,) = built.glob("*.whl")
    assert wheel.name == f"flott-{__version__}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "flott").rglob("*.py")}
    assert sources <= names
    assert not any(name.startswith(("tests", "examples", "docs")) for name in names)


def test_the_sdist_holds_tests_examples_and_docs(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "LICENSE", "README.md", "Makefile", "examples/word_count.py", "docs/examples.md"}
    assert {*wanted, "examples/notebooks/first_stream.ipynb", "tests/packaging/test_build.py"} <= names


def test_the_command_of_the_installed_wheel(installed, tmp_path):
    said = run(installed / "flott", "--version", cwd=tmp_path, env=clean())
    assert said == f"flott, version {__version__}\n"
    made = run(installed / "flott", "new", "clicks", cwd=tmp_path, env=clean())
    assert "clicks/src/clicks/job.py" in made


def test_the_installed_wheel_has_all_its_data(installed, tmp_path):
    assert run(installed / "python", "-c", ASK, cwd=tmp_path, env=clean()) == "all there\n"


def test_the_installed_wheel_runs_a_job(installed, tmp_path):
    job = tmp_path / "job.py"
    job.write_text(
        "from flott.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1, 2]).map(lambda number: number * 2).print()\n"
        "env.execute()\n"
    )
    setting = "flott.execution.target=in-process"
    said = run(installed / "flott", "run", "-q", "-p", "1", "-D", setting, job, cwd=tmp_path, env=clean())
    assert said == "2\n4\n"
