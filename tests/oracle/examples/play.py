"""Runs a program of PyFlink's own examples, on PyFlink or with `flott run --pyflink`, and takes what it prints."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from pyflink_environment import ROOT, pyflink_python, pyflink_variables

PATIENCE = 900
LINES_OF_ENDLESS = 6
SUBTASK = re.compile(r"^\d+> ")
# The examples send all that Python logs to where they print.
LOGGED = re.compile(
    r"job '.*' \(\w{32}\) runs|job '.*' (finished|failed|cancelled) after .*|Closing down clientserver connection"
    r"|job '.*' \(\w{32}\) is at http.*|PYFLINK_CYTHON_ENABLED: .*|No module named google\.cloud.*"
    r"|Python Server (ready|stopping).*|Received command .*|Job has been submitted.*|Using Any for unsupported type.*"
)


def folder_of_examples() -> Path:
    """Where PyFlink has its examples."""
    ask = "import os, pyflink; print(os.path.dirname(pyflink.__file__))"
    said = subprocess.run([str(pyflink_python()), "-c", ask], capture_output=True, text=True, check=True)
    return Path(said.stdout.strip()) / "examples"


def command_of(engine: str, example: Path) -> tuple[list[str], dict[str, str]]:
    if engine == "pyflink":
        python = pyflink_python()
        return [str(python), str(example)], pyflink_variables(python)
    variables = dict(os.environ, PYTHONPATH=str(ROOT / "src"), PYTHONUNBUFFERED="1")
    return [sys.executable, "-m", "flott.cli.main", "run", "--pyflink", str(example)], variables


def play(engine: str, example: Path, folder: Path) -> Counter[str]:
    """Run a program to its end; return the lines it printed, order aside."""
    command, variables = command_of(engine, example)
    done = subprocess.run(
        command, env=variables, cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, f"{engine}: {done.stderr[-2000:]}"
    return cleaned(done.stdout.splitlines())


def play_endless(example: Path, folder: Path) -> Counter[str]:
    """Run a program that never ends on Flott, until it has printed some lines."""
    command, variables = command_of("flott", example)
    lines: list[str] = []
    with (
        (folder / "errors").open("w+") as errors,
        subprocess.Popen(
            command, env=variables, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        ) as process,
    ):
        try:
            for line in process.stdout:
                lines.append(line)
                if sum(cleaned(lines).values()) > LINES_OF_ENDLESS:
                    return cleaned(lines)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
        errors.seek(0)
        raise AssertionError(f"it ended: {errors.read()[-2000:]}")


def cleaned(lines: list[str]) -> Counter[str]:
    """Leave out what says which subtask printed, how wide a table is, and what was logged."""
    bare = (SUBTASK.sub("", line.strip()) for line in lines)
    cells = ("|".join(cell.strip() for cell in line.split("|")) if line.startswith("|") else line for line in bare)
    return Counter(line for line in cells if line and not LOGGED.fullmatch(line) and not set(line) <= set("+-"))
