"""Options and arguments that are metadata of documents."""

from collections.abc import Callable
from typing import Any

import click

from citegrid.nouns.search.metadata import assigned, matching


def conditions(_context: Any, _option: Any, typed: tuple[str, ...]) -> dict[str, Any] | None:
    """The filter of a search, for an option that is repeated; None without one."""
    return _read(matching, typed) if typed else None


def assignments(_context: Any, _argument: Any, typed: tuple[str, ...]) -> dict[str, Any]:
    return _read(assigned, typed)


def _read(
    read: Callable[[tuple[str, ...]], dict[str, Any]], typed: tuple[str, ...]
) -> dict[str, Any]:
    try:
        return read(typed)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
