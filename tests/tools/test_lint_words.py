from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import lint_words
from lint_words import BASELINE, WORDS, hits_in, main, read_phrases

ROOT = Path(__file__).parents[2]
PHRASES = read_phrases((ROOT / WORDS).read_text(encoding="utf-8"))


def found_in(text):
    return [(hit.first, hit.found) for hit in hits_in("a.py", text, PHRASES)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a whole number is wanted here", ["whole number", "is wanted here"]),
        ('options.truth("cache")', ["truth"]),
        ("a column of texts", ["column of texts"]),
        ("keys that are texts", ["keys that are texts", "are texts"]),
        ("a uid is a text that is not empty", ["is a text"]),
        ("run it, make it count", ["make it count"]),
        ("from version 3, nothing of it counted", ["nothing of it counted"]),
        ("the savepoint was given up", ["given up"]),
        ("the epoch runs again", ["epoch runs again"]),
        ("the commit is tried again", ["is tried again"]),
        ("LEFT JOIN can't be run yet", ["can't be run yet"]),
        ("None if there is none", ["there is none"]),
        ("This is no SQL", ["is no sql"]),
        ("written anew", ["anew"]),
        ("a table of slots", ["table of slots"]),
        ("entries that are only looked up", ["only looked up"]),
        ("written in machine code", ["machine code"]),
        ("WISHES = ()", ["wishes"]),
        ("Medians of three rounds in turns", ["rounds in turns"]),
        ("it gives out the messages", ["gives out"]),
        ("what the driver is told", ["is told"]),
        ('"""Say whether it ends."""', ["say whether"]),
        ("def test_a_bug_is_mended(): ...", ["mended"]),
        ("lest they are in memory twice", ["lest"]),
    ],
)
def test_a_phrase_is_found(text, found):
    assert sorted(phrase for _, phrase in found_in(text)) == sorted(found)


@pytest.mark.parametrize(
    "text",
    [
        "the whole of the numbers",
        "the single source of truth, and the ground truth",
        "a truth table",
        "this is a text file",
        "there is no state, and it is no longer read",
        "there is no such column",
        "async_data_stream is NO_RETRY",
        "recommended, amended, tremendous",
        "machine codes are not meant, nor a coffee machine",
        "molest, lesson",
        "count the records again",
        "the job runs",
        "best effort; a string literal, an integer, a boolean",
        "retry, roll back, commit, prefetch",
        "the manuals of Manew",
    ],
)
def test_a_legitimate_use_is_not(text):
    assert found_in(text) == []


def test_a_phrase_is_found_across_lines_comments_and_in_names():
    assert found_in("#: nothing of\n#: it counts") == [(1, "nothing of it counts")]
    assert found_in("x\nof it\n    is told\n") == [(3, "is told")]
    assert found_in("ok\n# what is\n# told\n") == [(2, "is told")]
    assert found_in("test_what_is_told") == [(1, "is told")]


@pytest.mark.parametrize(
    "text",
    [
        'raise JobError("the driver "\n    "is "\n    "told")',
        "raise JobError(f'the driver is'\n    f' told')",
        "// what is\n// told",
        "/* what is\n * told */",
        "> what is\n> told",
    ],
)
def test_a_phrase_is_found_across_the_parts_of_a_string_and_the_comments_of_other_languages(text):
    assert [phrase for _, phrase in found_in(text)] == ["is told"]


def test_what_other_strings_say_is_not_part_of_a_phrase():
    assert found_in('["what is",\n "told"]') == []


@pytest.fixture
def repository(tmp_path):
    """A repository with the word list and an empty baseline; writes files into it."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / WORDS, tmp_path / WORDS)
    (tmp_path / BASELINE).touch()

    def write(file, text):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return write


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    return code, capsys.readouterr().out.splitlines()


def test_a_new_phrase_is_a_finding_that_says_what_to_write(repository, tmp_path, capsys):
    repository("docs/a.md", "one\n\nthis is mended\n")
    assert run(capsys, tmp_path) == (1, ["docs/a.md:3: words: 'mended'; write: fix, fixed"])
    repository("docs/a.md", "one\n\nthis is fixed\n")
    assert run(capsys, tmp_path) == (0, ["words: ok"])


@pytest.mark.parametrize(
    "file",
    [
        "src/a.pyx",
        "README.md",
        "Makefile",
        "pyproject.toml",
        ".ci/run",
        "tests/a.yaml",
        "tests/a.ini",
        "src/a.pyi",
        "tools/A.java",
    ],
)
def test_everything_that_is_read_is_checked(repository, tmp_path, capsys, file):
    repository(file, "mended")
    assert run(capsys, tmp_path)[0] == 1


def test_what_the_baseline_allows_may_stay_and_not_become_more(repository, tmp_path, capsys):
    (tmp_path / BASELINE).unlink()
    repository("docs/a.md", "mended\nmends\n")
    assert run(capsys, "--write", tmp_path) == (0, ["words: ok"])
    assert (tmp_path / BASELINE).read_text() == "docs/a.md\t2\tmend(s|ed|ing)?\n"
    assert run(capsys, tmp_path) == (0, ["words: ok"])
    repository("docs/a.md", "mended\nmends\nmending\n")
    code, lines = run(capsys, tmp_path)
    assert (code, len(lines)) == (1, 3)
    assert lines[2] == "docs/a.md:3: words: 'mending'; write: fix, fixed (3 in this file, 2 before)"


def test_the_baseline_only_goes_down(repository, tmp_path, capsys):
    (tmp_path / BASELINE).write_text("docs/a.md\t2\tmend(s|ed|ing)?\n")
    repository("docs/a.md", "mended\n")
    repository("docs/b.md", "mended\nmended\n")
    code, [line] = run(capsys, "--write", tmp_path)
    assert (code, line) == (
        1,
        "tools/words_baseline.txt:1: words: 3 of 'mend(s|ed|ing)?' instead of 2; the baseline may only go down",
    )
    assert (tmp_path / BASELINE).read_text() == "docs/a.md\t2\tmend(s|ed|ing)?\n"
    # A phrase may move with the file that it is in.
    repository("docs/a.md", "")
    assert run(capsys, "--write", tmp_path)[0] == 0
    assert (tmp_path / BASELINE).read_text() == "docs/b.md\t2\tmend(s|ed|ing)?\n"


@pytest.fixture
def git(tmp_path):
    """Runs git in the repository."""

    def run(*arguments):
        settings = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(tmp_path), *settings, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    run("init", "-q")
    return run


def test_since_a_revision_only_added_lines_count_whatever_the_baseline_allows(repository, git, tmp_path, capsys):
    repository("docs/a.md", "mended\nfine\n")
    (tmp_path / BASELINE).write_text("docs/a.md\t9\tmend(s|ed|ing)?\n")
    git("add", ".")
    git("commit", "--no-verify", "-m", "docs: begin")
    repository("docs/a.md", "mended\nfine\n\nwhat is\nmended\n")
    assert run(capsys, tmp_path)[0] == 0
    assert run(capsys, "--since", "HEAD", tmp_path) == (1, ["docs/a.md:5: words: 'mended'; write: fix, fixed"])


def test_a_phrase_may_not_take_the_place_of_another_that_the_baseline_allows(
    repository, git, tmp_path, capsys, monkeypatch
):
    repository("docs/a.md", "mended\nfine\n")
    (tmp_path / BASELINE).write_text("docs/a.md\t1\tmend(s|ed|ing)?\n")
    git("add", ".")
    git("commit", "--no-verify", "-m", "docs: begin")
    monkeypatch.setattr(lint_words, "AFTER", git("rev-parse", "HEAD"))
    assert run(capsys, tmp_path) == (0, ["words: ok"])
    repository("docs/a.md", "fine\nthis line is mended\n")
    assert run(capsys, tmp_path) == (1, ["docs/a.md:2: words: 'mended'; write: fix, fixed"])
