"""Capabilities of nodes."""

from typing import Final

CAPABILITIES: Final = ("extraction", "validation", "chat")
