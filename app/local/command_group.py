"""A group of commands that knows them by name; each is loaded when it is asked for."""

import errno
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class CommandGroup(click.Group):
    """Its commands stand below `app.local.commands`: `places` says in which module, by which name.

    A command costs what its own module imports, and not what its neighbours need. A file that it
    cannot use, and what is no text, is said in one line.
    """

    def __init__(self, *arguments: Any, places: Mapping[str, str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.places = places

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UnicodeError:
            raise click.ClickException("An argument or a file is not UTF-8.") from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # nobody reads on, as `head`
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}") from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return None
        module, _, name = self.places[cmd_name].rpartition(".")
        command: click.Command = getattr(import_module(f"app.local.commands.{module}"), name)
        return command
