"""`citegrid completion`: completion of commands in a shell."""

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script for SHELL.

    Save it where your shell looks for completions. For bash:

    \b
      citegrid completion bash > ~/.local/share/bash-completion/completions/citegrid
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"No completion available for {shell}.")
    root = context.find_root()
    click.echo(kind(root.command, {}, "citegrid", "_CITEGRID_COMPLETE").source())
