"""How memories are called in public."""

from typing import Final

PREFIX: Final = "mem"
