"""Runs the notebooks of the examples, and keeps what they show.

`python tools/notebook_outputs.py` runs each in a kernel of its own, without Spark, and writes its outputs into it. A
test runs them again, and compares.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
IN_PROCESS = """
from flott.common import Configuration
from flott.datastream import StreamExecutionEnvironment

target = Configuration().set_string("flott.execution.target", "in-process")
StreamExecutionEnvironment.context_configuration = target
"""
LONGEST = 300
"""Seconds that a cell may take."""
EPOCH = re.compile(r"epoch \d+")
"""How many epochs a job takes depends on the machine."""


def executed(path: Path, *, in_process: bool) -> Any:
    """Return a notebook with what its cells show now; the file stays as it is."""
    notebook = nbformat.read(path, as_version=4)
    if in_process:
        notebook.cells.insert(0, nbformat.v4.new_code_cell(IN_PROCESS))
    NotebookClient(
        notebook, timeout=LONGEST, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    if in_process:
        del notebook.cells[0]
    return notebook


def shown(notebook: Any) -> list[list[list[str]]]:
    """Return what each cell shows, line by line in no order; what was written to the error stream does not count.

    Groups of a query that change in the same epoch do so in any order.
    """
    return [
        [
            sorted(EPOCH.sub("epoch …", text).splitlines())
            for output in cell.outputs
            if (text := _text(output)) is not None
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def _text(output: Any) -> str | None:
    if output.output_type == "stream":
        return str(output.text) if output.name == "stdout" else None
    return str(output.data["text/plain"])


def kept(notebook: Any) -> Any:
    """Return a notebook without what differs from run to run: counts, times, messages on the error stream."""
    for cell in notebook.cells:
        cell.pop("id", None)
        cell.metadata = {}
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.outputs = [output for output in cell.outputs if _text(output) is not None]
        for output in cell.outputs:
            output.pop("execution_count", None)
            if output.output_type == "execute_result":
                output.execution_count = None
            output.pop("transient", None)
    return notebook


def main() -> None:
    """Write the outputs into the notebooks."""
    for path in NOTEBOOKS:
        nbformat.write(kept(executed(path, in_process=True)), path)
        print(f"written to {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
