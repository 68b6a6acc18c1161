"""An account's data in memories of personas, sealed."""

from typing import Final

from app.core.db.own_data import Deleted, Sealed, Table

TABLES: Final = tuple(
    Table(name, Sealed(), Deleted()) for name in ("memory_keys", "memories", "memory_versions")
)
