from __future__ import annotations

import os

import pytest

from flott.common.private_directory import private_directory
from flott.errors import ConfigurationError


def test_it_is_made_for_this_user_only(tmp_path):
    made = private_directory(tmp_path / "flott")
    assert made.stat().st_mode & 0o777 == 0o700


def test_one_that_others_could_read_is_closed(tmp_path):
    (tmp_path / "flott").mkdir(mode=0o755)
    assert private_directory(tmp_path / "flott").stat().st_mode & 0o777 == 0o700


def test_a_symbolic_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "flott").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match=r"is not a directory of this user .* set TMPDIR or"):
        private_directory(tmp_path / "flott")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
def test_a_directory_of_another_user_is_refused(tmp_path):
    (tmp_path / "flott").mkdir()
    os.chown(tmp_path / "flott", 65534, 65534)
    with pytest.raises(ConfigurationError, match="belongs to another user"):
        private_directory(tmp_path / "flott")


def test_a_parent_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="can't be created: No such file or directory"):
        private_directory(tmp_path / "none" / "flott")
