"""The corpora that one can ask: those of the server and one's own, with what they hold."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core import db, ids
from app.core.amounts import counted
from app.core.http import current_settings
from app.core.ids import Noun
from app.domains.library.corpora import service as corpora
from app.domains.library.corpora import store as corpus_store
from app.domains.library.corpora.store import Corpus
from app.web.frame.operations import call

MOST: Final = 20
"""Corpora that a search can be narrowed to, and that are offered."""


@dataclass(frozen=True, slots=True)
class SearchableCorpus:
    """`value` names it to the API, and `id` is what searches keep of it."""

    value: str
    id: UUID
    name: str
    size: str


@dataclass(frozen=True, slots=True)
class Searchable:
    """The sources that searches of an account read; `own` says that some of it is the account's."""

    corpora: Sequence[SearchableCorpus]
    own: bool
    web: bool

    def narrowed(self, values: Collection[str]) -> list[str]:
        """The corpora of a form, as the API takes them; none where all were left selected."""
        return [] if {each.value for each in self.corpora} <= set(values) else list(values)

    def values(self, kept: Collection[str]) -> list[str]:
        """The values of the corpora that a search was narrowed to, of those still there."""
        return [each.value for each in self.corpora if str(each.id) in kept]


def searchable() -> Searchable:
    """The corpora that the account can ask, its newest first, and none that is empty."""
    listed = call("listCorpora", query={"limit": MOST})["corpora"]
    own = [_own(each, read) for each in listed if (read := _read(each))]
    with db.reading() as reader:
        indexed, held = corpus_store.every(reader), corpora.counts(reader)
    names = {each["name"] for each in listed}  # a name means one's own corpus first
    operators = [
        _operators(corpus, held[corpus.id].pages)
        for corpus in indexed
        if corpus.id in held and held[corpus.id].pages and corpus.name not in names
    ]
    return Searchable(
        corpora=[*own, *operators][:MOST],
        own=bool(own),
        web=asks_web(),
    )


def asks_web() -> bool:
    settings = current_settings()
    return bool(settings.searxng_url or settings.brave_api_key)


def _read(corpus: dict[str, Any]) -> int:
    return int(corpus["documents"] - corpus["waiting"] - corpus["failed"])


def _own(corpus: dict[str, Any], documents: int) -> SearchableCorpus:
    id, size = ids.lookup(Noun.CORPUS, corpus["id"]), counted(documents, "document")
    return SearchableCorpus(corpus["id"], id, corpus["name"], size)


def _operators(corpus: Corpus, pages: int) -> SearchableCorpus:
    return SearchableCorpus(corpus.name, corpus.id, corpus.name, counted(pages, "page"))
