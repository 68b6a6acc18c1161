"""A group of commands that knows them by name; each is loaded when it is asked for."""

import errno
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class CommandGroup(click.Group):
    """Its commands stand below `app.local.commands`: `places` says of each in which module and by
    which name, and what it does.

    A command costs what its own module imports, and not what its neighbours need; a list of them
    costs nothing. A file that it cannot use, and what is no text, is said in one line.
    """

    def __init__(
        self, *arguments: Any, places: Mapping[str, tuple[str, str]], **options: Any
    ) -> None:
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
        module, _, name = self.places[cmd_name][0].rpartition(".")
        command: click.Command = getattr(import_module(f"app.local.commands.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.places[name][1]) for name in sorted(self.places)])
