"""Starts `citegrid`; imports nothing of weight, so that Ctrl-C is heeded at once."""

import os
import signal
import sys
from importlib import import_module
from types import FrameType
from typing import NoReturn

from citegrid.version import __version__

INTERRUPTED = 130


def main() -> None:
    """The entry point of the command line."""
    # Not KeyboardInterrupt: raised while a module is loaded, it is sometimes lost.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may ignore it
        signal.signal(signal.SIGINT, leave)
    if sys.argv[1:] == ["--version"]:
        sys.stdout.write(f"citegrid {__version__}\n")
        return
    sys.exit(import_module("citegrid.cli.main").run(sys.argv[1:]))


def leave(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End at once; there is nothing to tidy up before a command begins, or after it."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
