"""Follows docs/quickstart.md word for word in a fresh directory, and compares what comes out.

Run it with `make docs-test`, or `python tools/follow_quickstart.py [--install]`. Files that the page tells to save are
saved, commands behind `$` are run by bash, and what they print must be what the page says; `…` stands for anything.
With `--install` it begins with a clone of this repository and the page's own installation, which takes minutes.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from doc_blocks import Block, read_page

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "quickstart.md"
PATIENCE = 600
"""Seconds that a command may take, on a slow machine."""


@dataclass(slots=True)
class Step:
    """A command, and what it is said to print."""

    command: str
    said: list[str] = field(default_factory=list)


class DifferentError(Exception):
    """A command did not do what the page says."""


def steps_of(block: Block) -> list[Step]:
    r"""Return the commands of a block.

    >>> from doc_blocks import blocks_of
    >>> [block] = blocks_of("```console\n$ echo a \\\n  b\na b\n$ true\n```")
    >>> steps_of(block)
    [Step(command='echo a \\\n  b', said=['a b']), Step(command='true', said=[])]
    """
    steps: list[Step] = []
    for line in block.code.splitlines():
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        elif steps and steps[-1].command.endswith("\\") and not steps[-1].said:
            steps[-1].command += f"\n{line}"
        else:
            steps[-1].said.append(line)
    return steps


def as_said(said: list[str], printed: str) -> bool:
    r"""Say whether a text is what the page says, where `…` stands for anything, and alone for any lines.

    >>> as_said(["Job '…' runs", "…"], "Job 'a b' runs\nand\nmore\n"), as_said(["a"], "b\n")
    (True, False)
    """
    parts = []
    for line in said:
        pattern = ".*?".join(re.escape(part) for part in line.rstrip().split("…"))
        parts.append(r"(?:.*\n)*?" if line.strip() == "…" else rf"{pattern}[ ]*\n")
    return re.fullmatch("".join(parts), printed) is not None


def follow(directory: Path, *, install: bool = False) -> int:
    """Follow the page; return how many commands were run, or raise at the first that does something else."""
    environment = _environment(directory, install=install)
    number = 0
    try:
        for block in read_page(PAGE).blocks:
            if block.saved_as:
                (directory / block.saved_as).write_text(block.code, encoding="utf-8")
            elif block.language == "console" and (block.runs or (install and "--install" in block.not_run)):
                for step in steps_of(block):
                    _do(step, directory, environment)
                    number += 1
    finally:
        _end_jobs(directory / "registry")
    return number


def _environment(directory: Path, *, install: bool) -> dict[str, str]:
    binaries = directory / ".venv" / "bin" if install else Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "FLOTT_REGISTRY_DIR": str(directory / "registry"),
    }
    environment.pop("PYTHONPATH", None)
    return environment if install else {**environment, "PYTHONPATH": str(ROOT / "src")}


def _do(step: Step, directory: Path, environment: dict[str, str]) -> None:
    print(f"$ {step.command}", flush=True)
    done = subprocess.run(  # noqa: S603 - the page's own commands
        ["/bin/bash", "-c", step.command],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    if done.returncode != 0 or not as_said(step.said, done.stdout):
        said = "\n".join(step.said)
        told = f"it printed (exit code {done.returncode})\n{done.stdout}\n{done.stderr}"
        raise DifferentError(f"$ {step.command}\nthe page says\n{said}\n{told}")


def _end_jobs(registry: Path) -> None:
    """End the drivers of jobs that are left, when a step went wrong."""
    for path in registry.glob("*.json"):
        pid = json.loads(path.read_text(encoding="utf-8")).get("pid")
        command = Path("/proc", str(pid), "cmdline")
        # The number may be another process's by now.
        if command.exists() and b"flott" in command.read_bytes():
            os.kill(pid, signal.SIGKILL)


def main(arguments: list[str]) -> int:
    """Follow the page in a new directory; return the exit code."""
    install = "--install" in arguments
    with tempfile.TemporaryDirectory(prefix="quickstart-") as name:
        directory = Path(name)
        if install:
            subprocess.run(["git", "clone", "--quiet", str(ROOT), name], check=True)  # noqa: S603, S607
        try:
            print(f"quickstart: {follow(directory, install=install)} commands, all as the page says")
        except DifferentError as error:
            print(error, file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
