from __future__ import annotations

import os

import fsspec
import pytest

from flott.connectors.find_files import FoundFile, find_files
from flott.errors import ConfigurationError


@pytest.fixture
def tree(tmp_path):
    for name in ["b.txt", "a.txt", "c.log", "sub/d.txt", ".hidden", "_SUCCESS", ".staging/x", "sub/_tmp/e.txt"]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    return tmp_path


def names(root, files):
    return [file.path.removeprefix(f"{root}/") for file in files]


def test_a_directory_means_all_below_it_but_the_hidden(tree):
    assert names(tree, find_files([str(tree)])) == ["a.txt", "b.txt", "c.log", "sub/d.txt"]


def test_a_pattern(tree):
    assert names(tree, find_files([f"{tree}/*.txt"])) == ["a.txt", "b.txt"]
    assert names(tree, find_files([f"{tree}/**/*.txt"])) == ["a.txt", "b.txt", "sub/d.txt"]
    assert names(tree, find_files([f"{tree}/sub/_tmp/*.txt"])) == ["sub/_tmp/e.txt"]
    assert names(tree, find_files([f"{tree}/*"])) == ["a.txt", "b.txt", "c.log", "sub/d.txt"]
    assert names(tree, find_files([f"{tree}/s?b"])) == ["sub/d.txt"]


def test_files_are_found_with_their_size_each_once_in_the_order_given(tree):
    paths = [tree / "c.log", tree, f"file://{tree}/a.txt"]
    assert names(tree, find_files(paths)) == ["c.log", "a.txt", "b.txt", "sub/d.txt"]
    assert find_files([tree / "c.log"]) == [FoundFile(f"{tree}/c.log", 5)]


def test_a_hidden_file_that_is_named_is_meant(tree):
    assert names(tree, find_files([tree / ".hidden"])) == [".hidden"]


def test_a_name_with_a_bracket_is_a_name_if_it_is_there(tree):
    (tree / "x[1].txt").write_text("x")
    assert names(tree, find_files([tree / "x[1].txt"])) == ["x[1].txt"]


def test_nothing_there_is_an_error_that_names_the_path(tree):
    with pytest.raises(ConfigurationError, match=r"no file is at '.*nothing.txt'"):
        find_files([tree / "nothing.txt"])
    with pytest.raises(ConfigurationError, match=r"no file matches the pattern '.*\*.csv'"):
        find_files([f"{tree}/*.csv"])
    assert find_files([tree / "nothing.txt"], may_be_missing=True) == []


def test_an_empty_directory_is_no_error(tmp_path):
    assert find_files([tmp_path]) == []


def test_other_file_systems_are_named_in_the_path():
    fsspec.filesystem("memory").pipe_file("/find/a.txt", b"abc")
    assert find_files(["memory://find"]) == [FoundFile("memory:///find/a.txt", 3)]


def test_a_directory_that_may_not_be_looked_into_is_an_error(tree, monkeypatch):
    """Else its files would be missing without a word."""
    listed = os.scandir

    def refuse(path):
        if str(path).endswith("/sub"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ConfigurationError, match=r"'.*/sub' may not be read by the user that the driver runs as"):
        find_files([tree])
