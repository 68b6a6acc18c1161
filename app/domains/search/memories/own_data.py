"""An account's data in memories of personas, sealed."""

from typing import Final

from app.core.db.own_data import RowDeletion, SealedRows, Table

MEMORIES_TABLES: Final = tuple(
    Table(name, SealedRows(), RowDeletion())
    for name in ("memory_keys", "memories", "memory_versions")
)
