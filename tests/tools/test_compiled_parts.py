from __future__ import annotations

import os

from tests.compiled_parts import outdated


def write(folder, name, moment):
    (folder / name).touch()
    os.utime(folder / name, (moment, moment))


def test_modules_that_were_compiled_before_a_change_are_named(tmp_path):
    for name, moment in {"_a.pyx": 3, "_a.cpython-311.so": 4, "_b.pyx": 5, "_b.cpython-311.so": 4, "_c.pyx": 9}.items():
        write(tmp_path, name, moment)
    assert outdated(tmp_path) == ["_b"]
    write(tmp_path, "_a.pxd", 6)
    assert outdated(tmp_path) == ["_a", "_b"]
