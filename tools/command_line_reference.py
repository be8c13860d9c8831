"""Writes docs/reference/command-line.md from the commands themselves.

Run it with `make docs-reference`; `--check` says whether the page is up to date, which `make lint` does.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flott.cli.main import main as flott

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "command-line.md"
WIDTH = 100

INTRODUCTION = """\
# The command line

Written by `make docs-reference` from the commands; do not edit. [Running jobs](../operations.md) shows them at work.
"""


def page() -> str:
    """Return the text of the reference."""
    parts = [INTRODUCTION]
    for name, text in _helps(flott, "flott", None):
        parts.append(f"## {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def _helps(command: click.Command, name: str, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    context = click.Context(
        command, parent, name, terminal_width=WIDTH, max_content_width=WIDTH, **command.context_settings
    )
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                yield from _helps(found, child, context)


def main(arguments: list[str]) -> int:
    """Write the page, or say whether it is up to date; return the exit code."""
    if "--check" not in arguments:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if PAGE.read_text(encoding="utf-8") == page():
        print("command line reference: ok")
        return 0
    print(f"{PAGE} is not what the commands say; run `make docs-reference`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
