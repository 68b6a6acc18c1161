"""`--data`, for every command that works on a local run, or the service its environment names."""

from pathlib import Path
from typing import Any

import click

from app.local.embedded.state import DEFAULT_FOLDER, DataFolder


class _DataFolder(click.ParamType[DataFolder]):
    name = "folder"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> DataFolder:
        return value if isinstance(value, DataFolder) else DataFolder(Path(value))


data_option = click.option(
    "--data",
    "folder",
    type=_DataFolder(),
    default=str(DEFAULT_FOLDER),
    show_default=True,
    help="Data folder of the local run.",
)
