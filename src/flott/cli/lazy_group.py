"""A group of commands that imports a command only when it is called: help and completion answer at once."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from flott.cli.commands import COMMANDS, SECTIONS
from flott.cli.stopped import INTERRUPTED, STOPPED, stopped_at_once

if TYPE_CHECKING:
    from collections.abc import Iterator


class LazyGroup(click.Group):
    """Lists commands from :data:`COMMANDS` and imports the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        with stopped_at_once():
            command: click.Command = getattr(import_module(entry.module), entry.attribute)
        keep_lines(command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; Ctrl-C ends it the same way at any moment, where the command does not say more itself."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo(STOPPED, err=True)
            ctx.exit(INTERRUPTED)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with; suggest the nearest one for a typo."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else f" The commands are: {', '.join(COMMANDS)}."
            ctx.fail(f"No such command '{name}'.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by task, each with its whole summary."""
        for title, entries in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(entry.name, entry.summary) for entry in entries], col_max=16)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete command names without importing a command."""
        names = [
            CompletionItem(entry.name, help=entry.summary)
            for entry in COMMANDS.values()
            if entry.name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


def keep_lines(command: click.Command) -> None:
    r"""Keep the line breaks of examples in help texts: in a raw docstring, \b is not yet the mark for that."""
    for one in commands_of(command):
        one.help = (one.help or "").replace("\\b\n", "\b\n")


def commands_of(command: click.Command) -> Iterator[click.Command]:
    """Yield a command and everything below it."""
    yield command
    inner_commands = command.commands.values() if isinstance(command, click.Group) else ()
    for inner in inner_commands:
        yield from commands_of(inner)
