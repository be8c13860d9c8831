"""The pages that are made from code are what the code says."""

from __future__ import annotations

import pytest

import command_line_reference
import configuration_reference
from flott.common.options import all_options


@pytest.mark.parametrize("reference", [command_line_reference, configuration_reference], ids=lambda one: one.__name__)
def test_a_page_is_up_to_date(reference, capsys):
    assert reference.main(["--check"]) == 0
    assert "ok" in capsys.readouterr().out


def test_an_old_page_is_found_and_written_anew(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(configuration_reference, "PAGE", tmp_path / "configuration.md")
    (tmp_path / "configuration.md").write_text("# Old\n", encoding="utf-8")
    assert configuration_reference.main(["--check"]) == 1
    assert "make docs-reference" in capsys.readouterr().err
    assert configuration_reference.main([]) == 0
    assert configuration_reference.main(["--check"]) == 0


def test_every_option_has_its_row():
    page = configuration_reference.page()
    assert all(f"| `{option.key}` |" in page for option in all_options())
