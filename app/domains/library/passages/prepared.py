"""A page made ready for the index outside any transaction."""

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from app.domains.library.passages.index.retriever import Analysed
from app.engine.pages.page import Page
from app.engine.pages.passages import Passage
from app.engine.sandbox.documents import ReadDocument
from app.engine.search.interface import IndexedPassage


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """One page with its passages. The ids in `analysed` are ordinals until it is stored; there are
    none for a page that is to be in no index."""

    corpus_id: UUID
    source_id: UUID
    url: str
    page: Page
    fetched_at: datetime
    spans: tuple[Passage, ...]
    analysed: tuple[Analysed, ...]
    simhash: str


def prepare(
    corpus_id: UUID, source_id: UUID, url: str, reading: ReadDocument, fetched_at: datetime
) -> PreparedPage:
    """Prepares what was read of a page as it is written into the index. `fetched_at` is aware."""
    page, spans = reading.page, reading.passages
    passages = [
        IndexedPassage(
            id=span.ordinal,
            source_id=str(source_id),
            text=page.text[span.start : span.end],
            title=page.title or "",
            headings=span.heading_path,
            language=span.language or page.language,
            corpus=str(corpus_id),
            url=url,
            domain=domain_of(url),
            outdated=page.outdated,
            published_at=page.published_at,
            fetched_at=fetched_at,
        )
        for span in spans
    ]
    analysed = tuple(zip(passages, reading.terms, strict=False))
    return PreparedPage(
        corpus_id, source_id, url, page, fetched_at, spans, analysed, reading.simhash
    )


def domain_of(url: str) -> str | None:
    """The host name of an http(s) URL, lower case; None for what has none on the web."""
    parts = urlsplit(url)
    return parts.hostname if parts.scheme in ("http", "https") else None
