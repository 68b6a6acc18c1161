"""What a node may be able to do."""

from typing import Final

CAPABILITIES: Final = ("extraction", "validation", "chat")
