"""Every window transcript that PyFlink can express, on PyFlink, and on the Java API below it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.oracle.windows.question import ENGINES, question, why_not
from tests.oracle.windows.report import report
from tests.oracle.windows.verdict import Verdict, judge

from flott.testing.transcripts import Transcript
from pyflink_environment import ROOT, pyflink_python, pyflink_variables

HERE = Path(__file__).parent
YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FILES = {
    path.stem: list(map(Transcript.read, yaml.load(path.read_text(encoding="utf-8"), YAML)))  # noqa: S506 - safe
    for path in sorted((ROOT / "tests" / "transcripts").glob("*.yaml"))
}
ALL_CASES = [case for cases in FILES.values() for case in cases]
DIFFERENCES = yaml.safe_load((HERE / "differences.yaml").read_text(encoding="utf-8"))


def groups_of(engine):
    """The cases that an engine can play, a job for each file; those known to make it fail have one of their own."""
    groups = {}
    for name, cases in FILES.items():
        for case in cases:
            if why_not(engine, case) is None:
                fails = "fails" in DIFFERENCES[engine].get(case.name, {})
                groups.setdefault(case.name if fails else name, []).append(question(ALL_CASES.index(case), case))
    return groups


def ask(folder):
    questions, answers = folder / "questions.json", folder / "answers.json"
    questions.write_text(json.dumps({engine: groups_of(engine) for engine in ENGINES}), encoding="utf-8")
    python = pyflink_python()
    command = [str(python), str(HERE / "job" / "play.py"), str(questions), str(answers)]
    subprocess.run(command, env=pyflink_variables(python), cwd=folder, check=True, timeout=1800)
    return json.loads(answers.read_text(encoding="utf-8"))


def verdict_of(engine, case, answers):
    reason = why_not(engine, case)
    if reason is not None:
        return Verdict(case, "not expressible", reason)
    return judge(case, answers[engine][case.name], DIFFERENCES[engine].get(case.name))


@pytest.fixture(scope="session")
def verdicts(tmp_path_factory):
    """Ask once, and write down what came of it."""
    answers = ask(tmp_path_factory.mktemp("windows"))
    by_file = {
        name: [{engine: verdict_of(engine, case, answers) for engine in ENGINES} for case in cases]
        for name, cases in FILES.items()
    }
    (ROOT / "docs" / "window-oracle.md").write_text(report(by_file), encoding="utf-8")
    return {
        (engine, of[engine].case.name): of[engine] for cases in by_file.values() for of in cases for engine in ENGINES
    }


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("engine", "name"),
    [(engine, case.name) for engine in ENGINES for case in ALL_CASES if why_not(engine, case) is None],
)
def test_the_same_comes_out_or_the_difference_is_explained(engine, name, verdicts):
    verdict = verdicts[engine, name]
    assert verdict.kind in {"same", "explained"}, verdict.reason


@pytest.mark.parametrize("engine", ENGINES)
def test_every_explained_difference_is_of_a_case(engine):
    names = {case.name for case in ALL_CASES if why_not(engine, case) is None}
    assert set(DIFFERENCES[engine]) <= names
