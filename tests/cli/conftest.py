from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch):
    """Jobs of tests are not for the list of whoever runs them."""
    directory = tmp_path / "registry" / "jobs"
    monkeypatch.setenv("FLOTT_REGISTRY_DIR", str(directory))
    return directory
