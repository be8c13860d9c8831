"""Asks Flink's own NFA: starts FlinkNfa.java on the jars of a PyFlink installation, and talks to it in JSON lines.

Needs a JDK: ``java`` compiles the program as it starts it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cep_cases import show
from pyflink_environment import pyflink_python

if TYPE_CHECKING:
    from cep_cases import Case, Step

PROGRAM = Path(__file__).with_name("FlinkNfa.java")
LONGEST = 600
"""Seconds after which Flink is taken to hang."""

JARS = ("flink-cep", "flink-dist", "log4j-api", "log4j-core", "log4j-slf4j-impl")


def answers(cases: list[Case]) -> list[dict[str, Any]]:
    """Let Flink run the cases."""
    lines = "".join(json.dumps(case.as_json()) + "\n" for case in cases)
    command = ["java", "-cp", _class_path(), str(PROGRAM)]
    done = subprocess.run(  # noqa: S603 - our own program
        command, input=lines, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    if done.returncode != 0:
        raise RuntimeError(f"the Flink program failed:\n{done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def steps(answer: dict[str, Any]) -> list[Step]:
    """Return what Flink found, step by step, in the words of Case.run."""
    return [
        (
            [show(match) for match in step["matches"]],
            [f"{show(match)} at {at}" for match, at in step["timed_out"]],
        )
        for step in answer["steps"]
    ]


def _class_path() -> str:
    find = "import pyflink, os; print(os.path.join(os.path.dirname(pyflink.__file__), 'lib'))"
    command = [str(pyflink_python()), "-c", find]
    found = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own program
    lib = Path(found.stdout.strip())
    return os.pathsep.join(str(jar) for name in JARS for jar in sorted(lib.glob(f"{name}-2*.jar")))
