from __future__ import annotations

import subprocess
import sys

import click
from click.testing import CliRunner

from flott.cli.commands import COMMANDS
from flott.cli.main import main


def test_every_command_is_found_under_its_name():
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        assert command.name == name


def test_help_lists_all_commands_by_task_with_whole_summaries():
    text = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    for entry in COMMANDS.values():
        assert f"{entry.name} {entry.summary}" in text
    assert "..." not in text.replace("[ARGS]...", "")


def test_help_version_and_completion_import_no_engine():
    program = (
        "import sys\nfrom click.testing import CliRunner\nfrom flott.cli.main import main\n"
        "print(CliRunner().invoke(main, sys.argv[1:]).exit_code)\n"
        "print(sorted(name for name in ('pyarrow', 'pyspark', 'numpy', 'flott.datastream') if name in sys.modules))"
    )
    for arguments in (["--help"], ["--version"], ["-h"]):
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
        assert done.stdout == "0\n[]\n"


def test_command_names_are_completed_with_their_summaries():
    items = main.shell_complete(click.Context(main), "s")
    assert [item.value for item in items] == ["sql", "state", "savepoint", "stop"]
    assert items[0].help == COMMANDS["sql"].summary


def test_a_typo_names_the_nearest_command():
    result = CliRunner().invoke(main, ["runn"])
    assert result.exit_code == 2
    assert "No such command 'runn'. Did you mean 'run'?" in result.output
