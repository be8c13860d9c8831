from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from flott.cli.main import main

pytestmark = pytest.mark.job


def doctor(*arguments):
    result = CliRunner().invoke(main, ["doctor", "--no-spark", *arguments])
    return result.exit_code, result.stdout


def test_a_machine_that_has_all(tmp_path, monkeypatch):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    code, told = doctor("--json", "--checkpoint-dir", str(tmp_path / "checkpoints"))
    findings = {one["check"]: one for one in map(json.loads, told.splitlines())}
    assert list(findings) == ["python", "packages", "compiled", "java", "disk", "state", "rest", "registry", "storage"]
    assert [name for name, one in findings.items() if not one["ok"]] == []
    assert code == 0
    assert list((tmp_path / "checkpoints").iterdir()) == []


def test_what_is_missing_is_named_with_advice(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    (tmp_path / "a-file").write_text("")
    code, told = doctor("--checkpoint-dir", str(tmp_path / "a-file"))
    assert code == 1
    assert "FAIL  java" in told
    assert "Spark needs Java 17 or newer. Install it" in told
    assert "FAIL  storage" in told
    assert "See that it exists and may be written" in told
