"""Corpora are nobody's."""

from typing import Final

from app.core.db.own_data import nobodys

CORPORA_TABLES: Final = nobodys("the operator's", "corpora", "corpus_links", "pages")
