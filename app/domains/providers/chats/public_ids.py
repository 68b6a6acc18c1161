"""How chats are named to callers."""

from typing import Final

PREFIX: Final = "chat"
