"""An account's data in its corpora."""

from typing import Final

from app.core.db.own_data import Export, Follows, RowDeletion, Table
from app.core.ids import Noun

_DROPPED: Final = "with its passages, before all rows"

DOCUMENTS_TABLES: Final = (
    Table(
        "documents",
        Export(
            "id, corpus_id, key, url, media_type, bytes, content_hash, version, state, reason,"
            " passages, metadata, uploaded_at, read_at",
            {"corpus_id": Noun.CORPUS},
        ),
        Follows(_DROPPED),
    ),
    Table("upload_hours", Export("began_at, uploads", key=("account_id",)), RowDeletion()),
    Table(
        "own_corpora",
        Export(
            "id, name, documents, bytes, created_at, deleted_at",
            {"id": Noun.CORPUS},
            file="corpora",
        ),
        RowDeletion(last=True),
    ),
)
