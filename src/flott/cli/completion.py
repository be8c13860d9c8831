"""``flott completion``: what a shell needs to complete flott's commands, options and jobs."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from flott.cli.output import fail


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    r"""Print the completion script for a SHELL.

    \b
    bash:  flott completion bash > ~/.local/share/bash-completion/completions/flott
    zsh:   flott completion zsh > "${fpath[1]}/_flott"
    fish:  flott completion fish > ~/.config/fish/completions/flott.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        fail(f"there is no completion for {shell}")
    try:
        click.echo(kind(context.find_root().command, {}, "flott", "_FLOTT_COMPLETE").source())
    except RuntimeError as error:
        fail(str(error))
