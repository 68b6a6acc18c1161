"""CITEGRID_LOG: requests and responses, on stderr. Secrets are in none of it."""

import logging
import sys
from typing import Final

from citegrid.errors import InvalidArgument

LEVELS: Final = ("debug", "info", "warning", "error")
LOGGER: Final = logging.getLogger("citegrid")


def configure(level: str | None) -> None:
    """Log from `level` up, once for all clients. Raises InvalidArgument for no such level."""
    if level is None:
        return
    if level.lower() not in LEVELS:
        raise InvalidArgument(f"CITEGRID_LOG is one of {', '.join(LEVELS)}.")
    LOGGER.setLevel(level.upper())
    if not LOGGER.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        LOGGER.addHandler(handler)
        LOGGER.propagate = False  # or a program that logs as well writes each line twice
