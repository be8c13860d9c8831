"""PyFlink, in an environment of its own: benchmarks compare with it, oracles ask it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYFLINK = "apache-flink==2.3.0"


def pyflink_python() -> Path:
    """Return a Python that has PyFlink: ``PYFLINK_PYTHON``, or one in an environment made at first use."""
    given = os.environ.get("PYFLINK_PYTHON")
    if given:
        return Path(given)
    home = ROOT / ".venv-pyflink"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"setting up {PYFLINK} in {home.name} (once)", file=sys.stderr, flush=True)
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)  # noqa: S603  our own Python
        subprocess.run([str(python), "-m", "pip", "install", "-q", PYFLINK], check=True)  # noqa: S603  same
        (home / "ready").touch()
    return python


def pyflink_variables(python: Path) -> dict[str, str]:
    """Return the environment variables for a program that ``python`` runs.

    PyFlink looks for its Python on the ``PATH``, as an activated environment has it.
    """
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    return dict(os.environ, PYTHONPATH="", PATH=path)
