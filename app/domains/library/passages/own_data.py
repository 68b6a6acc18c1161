"""The index and the pages it was made of are nobody's."""

from typing import Final

from app.core.db.own_data import Follows, Table, nobodys

PASSAGES_TABLES: Final = (
    *nobodys("pages of others, as they were read", "snapshots"),
    *nobodys(
        "the index",
        "embedding_models",
        "lexical_blocks",
        "lexical_counts",
        "lexical_dead",
        "lexical_fresh",
        "lexical_generations",
        "lexical_passages",
        "passage_changes",
        "passage_vectors",
        "remote_indexes",
    ),
    Table("passages", "texts of documents, which their owner has", Follows("with its document")),
)
