"""``flott new`` writes a project whose tests pass as they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.waiting import PATIENCE

from flott import __version__
from flott.cli.main import main
from flott.cli.new import MORE_FILES, RUN_OPTIONS, files_of, problem_with

SOURCE = Path(__file__).parents[2] / "src"


TEMPLATES = list(MORE_FILES)
PRINTED = {
    "datastream": ["+I[ann,0,60000,2]", "+I[ann,60000,120000,1]", "+I[bob,0,60000,1]", "+I[bob,60000,120000,2]"],
    "pyflink": ["(ann,120000,1)", "(ann,60000,2)", "(bob,120000,2)", "(bob,60000,1)"],
}


def new(name, folder, template="datastream"):
    return CliRunner().invoke(main, ["new", "--template", template, name, "--into", str(folder)])


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_project_has_all_its_files(template, tmp_path):
    result = new("clicks-per-day", tmp_path, template)
    assert result.exit_code == 0, result.output
    project = tmp_path / "clicks-per-day"
    there = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert there == {path.format(module="clicks_per_day") for path in files_of(template)}
    assert all(str(project / path) in result.output for path in there)
    settings = (project / "pyproject.toml").read_text().splitlines()
    assert {'name = "clicks-per-day"', f'dependencies = ["flott>={__version__}"]'} <= set(settings)
    assert not any("$" in path.read_text() for path in project.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../up", "/x", "a/b", "a\\b", "A", "1a", "a b", "a\n", "-x", "a-", "ä", "$a", "x" * 61, "class",
     "json", "flott", "con.txt"],
)  # fmt: skip
def test_names_that_are_none(name, tmp_path):
    assert problem_with(name) is not None
    result = new(name, tmp_path) if not name.startswith("-") else CliRunner().invoke(main, ["new", "--", name])
    assert result.exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_there_already_stays_as_it_is(tmp_path):
    (tmp_path / "clicks").mkdir()
    result = new("clicks", tmp_path)
    assert result.exit_code == 1
    assert "already; choose another name" in result.output
    assert list((tmp_path / "clicks").iterdir()) == []


def run(project, *command):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    words = [sys.executable, *command]
    return subprocess.run(
        words, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.job
@pytest.mark.parametrize("template", TEMPLATES)
def test_its_tests_pass_without_spark(template, tmp_path):
    new("clicks", tmp_path, template)
    tests = run(tmp_path / "clicks", "-m", "pytest", "-q", "-m", "not spark", "-p", "no:cacheprovider")
    assert tests.returncode == 0, tests.stdout
    assert "2 passed, 1 deselected" in tests.stdout
    options = ["-q", "-p", "1", "--local", *RUN_OPTIONS.get(template, "").split()]
    job = run(tmp_path / "clicks", "-m", "flott.cli.main", "run", *options, "src/clicks/job.py")
    assert job.returncode == 0, job.stderr
    if template == "sql":
        assert "| +I |     ann | 2026-01-01 00:01:00.000 |      2 |" in job.stdout
    else:
        assert sorted(job.stdout.splitlines()) == PRINTED[template]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("template", TEMPLATES)
def test_its_test_on_spark_passes(template, tmp_path):
    new("clicks", tmp_path, template)
    tests = run(tmp_path / "clicks", "-m", "pytest", "-q", "-m", "spark", "-p", "no:cacheprovider")
    assert tests.returncode == 0, tests.stdout
    assert "1 passed" in tests.stdout
