"""A page made ready for the index outside any transaction: split, and its terms counted."""

from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from app.domains.passages.retriever import Analysed, analyse
from app.engine.answer.fingerprint import fingerprint
from app.engine.pages.canonical import canonical
from app.engine.pages.page import Page
from app.engine.pages.passages import Passage, split
from app.engine.retrieval.interface import IndexedPassage
from app.engine.text.analysis import Analyzer

_LONGEST = 1_000  # characters of a title, an author, a name, an address


@dataclass(frozen=True, slots=True)
class Prepared:
    """One page with its passages. The ids in `analysed` are ordinals until it is stored."""

    corpus_id: UUID
    source_id: UUID
    url: str
    page: Page
    fetched_at: datetime
    spans: tuple[Passage, ...]
    analysed: tuple[Analysed, ...]
    simhash: str


def prepare(
    corpus_id: UUID,
    source_id: UUID,
    url: str,
    page: Page,
    fetched_at: datetime,
    analyzer: Analyzer,
) -> Prepared:
    """Split and analyse a page: some milliseconds of pure computing. `fetched_at` is aware."""
    page = _with_plain_facts(page)
    spans = tuple(split(page))
    passages = [
        IndexedPassage(
            id=span.ordinal,
            source_id=str(source_id),
            text=page.text[span.start : span.end],
            title=page.title or "",
            headings=span.heading_path,
            language=page.language,
            corpus=str(corpus_id),
            domain=domain_of(url),
            published_at=page.published_at,
            fetched_at=fetched_at,
        )
        for span in spans
    ]
    analysed = tuple(analyse(passages, analyzer))
    simhash = fingerprint(page.text, page.language, analyzer)
    return Prepared(corpus_id, source_id, url, page, fetched_at, spans, analysed, simhash)


def _with_plain_facts(page: Page) -> Page:
    """The page with what it says about itself on one line each, short, and storable.

    Those strings come from anywhere in a hostile document; only the text is canonical already.
    """
    return replace(
        page,
        title=_line(page.title),
        author=_line(page.author),
        site_name=_line(page.site_name),
        canonical_url=_line(page.canonical_url),
        publisher=_line(page.publisher),
    )


def _line(text: str | None) -> str | None:
    return " ".join(canonical(text).split())[:_LONGEST] or None if text else None


def domain_of(url: str) -> str | None:
    """The host name of an http(s) URL, lower case; None for what has none on the web."""
    parts = urlsplit(url)
    return parts.hostname if parts.scheme in ("http", "https") else None
