from __future__ import annotations

from pathlib import Path

import pytest

from lint_links import lint, main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "time.md").write_text("# Time\n\n## Late `records`, and more\n", encoding="utf-8")
    return tmp_path


def test_links_that_lead_somewhere_are_fine(repository):
    text = "[a](docs/time.md) [b](docs/time.md#late-records-and-more) [c](#here) [d](https://example.org/x)\n\n# Here\n"
    (repository / "README.md").write_text(text, encoding="utf-8")
    assert lint(repository) == []


def test_a_missing_file_and_a_missing_heading_are_found(repository, capsys):
    text = "[a](docs/space.md)\n\n```\n[code](nowhere.md)\n```\n\n![b](docs/time.md#early)\n"
    (repository / "README.md").write_text(text, encoding="utf-8")
    assert lint(repository) == [
        "README.md:1: link: docs/space.md: there is no such file",
        "README.md:7: link: docs/time.md#early: time.md has no such heading; it has late-records-and-more, time",
    ]
    assert main([str(repository)]) == 1
    assert "docs/space.md" in capsys.readouterr().out


def test_all_links_of_this_repository_lead_somewhere():
    assert lint(ROOT) == []
