"""Starts `citegrid-server`; imports nothing of weight before it is known for what."""

import sys
from importlib import import_module

from app import __version__


def main() -> None:
    """The entry point of the operator's commands."""
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"citegrid-server {__version__}\n")
        return
    import_module("app.cli").main(prog_name="citegrid-server")


if __name__ == "__main__":
    main()
