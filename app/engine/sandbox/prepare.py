"""Reading and preparing a document, here and now: what the child process does."""

from dataclasses import replace

from app.engine.pages.blocks.canonical import canonical
from app.engine.pages.facts.links import LONGEST
from app.engine.pages.page import Page, Unreadable
from app.engine.pages.passages import Passage, split
from app.engine.pages.read import read
from app.engine.sandbox.documents import EVERYTHING, Document, ReadDocument, ReadingScope
from app.engine.search.interface import IndexedPassage
from app.engine.text.shared_lines import SharedLines
from app.engine.text.simhash import fingerprint

_LONGEST_FACT = 300  # characters of a title, an author, a name


def read_document(document: Document, wanted: ReadingScope = EVERYTHING) -> ReadDocument:
    """Read a trusted `document` here; others need a `Reader`. Raises PageUnreadable."""
    page = read(
        document.body, document.media_type, document.charset, document.url, document.robots_tag
    )
    return prepare_page(page, wanted)


def prepare_page(page: Page, wanted: ReadingScope = EVERYTHING) -> ReadDocument:
    """Cut `page` into passages and find their terms."""
    page = _with_plain_facts(page)
    whole = split(page)
    passages = tuple(whole[: wanted.passages])
    if len(whole) > len(passages):
        page = replace(page, lack=Unreadable.TOO_LARGE.value)
    shared = SharedLines()
    terms = [_terms(page, passage, shared) for passage in passages] if wanted.terms else ()
    return ReadDocument(page, passages, tuple(terms), fingerprint(page.text, page.language))


def _terms(page: Page, passage: Passage, shared: SharedLines) -> list[str]:
    indexed = IndexedPassage(
        id=passage.ordinal,
        source_id="",
        text=page.text[passage.start : passage.end],
        title=page.title or "",
        headings=passage.heading_path,
    )
    return shared.terms(indexed.lines_above, indexed.text, passage.language)


def _with_plain_facts(page: Page) -> Page:
    """The page with what it says about itself on one line each, short, and storable.

    Those strings come from anywhere in a hostile document; only the text is canonical already.
    """
    return replace(
        page,
        title=fact(page.title),
        author=fact(page.author),
        site_name=fact(page.site_name),
        canonical_url=fact(page.canonical_url, LONGEST),
        publisher=fact(page.publisher),
    )


def fact(text: str | None, most: int = _LONGEST_FACT) -> str | None:
    """Returns a page's statement about itself, on one line, short, and storable."""
    return " ".join(canonical(text).split())[:most] or None if text else None
