from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lint_commits import AFTER, findings_of, main
from lint_words import WORDS, read_phrases

PHRASES = read_phrases((Path(__file__).parents[2] / WORDS).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "subject",
    [
        "state: flush on checkpoint instead of per epoch",
        "job: always end with the first cause",
        "tests, tools: wait for conditions",
        "coordination/checkpoints: process the oldest first",
        "docs: fix",
    ],
)
def test_good_subjects(subject):
    assert list(findings_of(subject, PHRASES)) == []


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("flush on checkpoint", "no scope"),
        ("state: flushes on checkpoint", "'flushes' is not an imperative"),
        ("state: flushed on checkpoint", "'flushed' is not an imperative"),
        ("docs: the plot of windows", "'the' is not an imperative"),
        ("docs: new plot of windows", "'new' is not an imperative"),
        ("state: " + "x" * 65, "72 characters; keep it under 72"),
        ("state: mend the log", "'mend'; write: fix, fixed"),
    ],
)
def test_bad_subjects(subject, message):
    [finding] = findings_of(subject, PHRASES)
    assert message in finding


@pytest.fixture
def commit(tmp_path):
    """Makes a commit without changes in a repository of its own; gives its name."""

    def git(*arguments):
        settings = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(tmp_path), *settings, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def make(subject):
        git("commit", "--allow-empty", "--no-verify", "-m", subject)
        return git("rev-parse", "--short", "HEAD")

    git("init", "-q")
    return make


def test_only_commits_after_the_revision_are_read(commit, tmp_path, capsys):
    first = commit("Everything that was done before")
    commit("state: flush on checkpoint")
    assert main([str(tmp_path), first]) == 0
    assert capsys.readouterr().out == "commits: ok\n"
    last = commit("state: mended")
    assert main([str(tmp_path), first]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(";")[0] for line in lines] == [
        f"{last}: subject: 'mended' is not an imperative",
        f"{last}: subject: 'mended'",
    ]


def test_the_words_of_the_body_are_checked(commit, tmp_path, capsys):
    first = commit("Everything that was done before")
    fine = "Until now, the log was written once per epoch.\n\n- once per checkpoint\n"
    commit(f"state: flush on checkpoint\n\n{fine}")
    assert main([str(tmp_path), first]) == 0
    last = commit("state: flush on checkpoint\n\nUntil now, the log\nwas written anew.\n")
    capsys.readouterr()
    assert main([str(tmp_path), first]) == 1
    assert capsys.readouterr().out.startswith(f"{last}: body: line 4: 'anew'; write: ")


def test_without_the_history_nothing_is_checked(commit, tmp_path, capsys):
    commit("whatever")
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"commits: no history since {AFTER[:7]} here, nothing checked\n"
