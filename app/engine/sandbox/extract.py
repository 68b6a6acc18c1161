"""Reading a document for its records, here and now: what the child process does."""

from dataclasses import replace
from typing import Any

from app.engine.extraction.records import second_extraction
from app.engine.extraction.records.extract import PageRecords, extract, extract_text
from app.engine.extraction.records.records import Record
from app.engine.extraction.records.second_extraction import Verdict
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.site import examples
from app.engine.extraction.site.template import Template
from app.engine.pages import read
from app.engine.pages.blocks.canonical import Block, BlockKind
from app.engine.pages.facts.links import LONGEST, base_of, links_of
from app.engine.pages.facts.metadata import Metadata, metadata
from app.engine.pages.formats.html import parse
from app.engine.pages.main_text.blocked import Blocked, blocked
from app.engine.sandbox.documents import Document, ExtractedPage, Extraction, Facts
from app.engine.sandbox.prepare import fact

_FEW_WORDS = 250  # more of them are a page, whatever it says of cookies


def extract_document(document: Document, wanted: Extraction) -> ExtractedPage:
    """Read `document` for its records here. Only for trusted documents: others are handed to an
    `ExtractionReader`. Raises PageUnreadable."""
    template = Template.from_json(wanted.template) if wanted.template else None
    schema = plan(wanted.schema) if wanted.schema is not None else None
    # Without a schema lines are compared, which stay as they were kept.
    if not (_is_html(document) or (schema and read.has_markup(document.media_type, document.url))):
        return _plain(document, schema, template)
    root = parse(markup_of(document))
    base = base_of(root, document.url)
    about = metadata(root, base, document.url, document.robots_tag)
    links = links_of(root, base)
    records = extract(
        root, document.url, schema, template, family=wanted.family, language=about.language
    )
    return ExtractedPage(
        Facts(
            links=links,
            title=fact(about.title),
            language=records.language,
            canonical_url=fact(about.canonical_url, LONGEST),
            noindex=about.noindex,
            nofollow=about.nofollow,
            publisher=fact(about.publisher),
            blocked=_blocked(about, records),
        ),
        records,
    )


def second(document: Document, schema: dict[str, Any], first: Record) -> Verdict:
    """Read `first` again by the other family of methods. Raises PageUnreadable."""
    return second_extraction.second(markup_of(document), document.url, plan(schema), first)


def learn_example(document: Document, schema: dict[str, Any], data: dict[str, Any]) -> Template:
    """Learns from a page and its record about the pages of its site. Raises PageUnreadable."""
    return examples.learn_example(markup_of(document), document.url, plan(schema), data)


def markup_of(document: Document) -> str:
    """The document as HTML. Raises PageUnreadable; also for forms without tables and headings."""
    return read.markup_of(document.body, document.media_type, document.charset, document.url)


def _is_html(document: Document) -> bool:
    return document.media_type.strip().lower() in read.HTML


def _plain(document: Document, schema: Plan | None, template: Template | None) -> ExtractedPage:
    """A document without markup: only the rules for text apply."""
    page = read.read(document.body, document.media_type, document.charset, document.url)
    records = extract_text(page.text, document.url, schema, template, language=page.language)
    records = replace(records, truncated=records.truncated or page.lack is not None)
    return ExtractedPage(Facts(page.links, fact(page.title), page.language), records)


def _blocked(about: Metadata, page: PageRecords) -> Blocked | None:
    """A short text without a record may stand in place of the page."""
    if page.soft_404:
        return "soft_404"
    if page.gate:
        return page.gate
    visible = page.text[: page.visible_end]
    if page.records or len(visible.split(None, _FEW_WORDS + 1)) > _FEW_WORDS:
        return None
    blocks = [Block(BlockKind.PARAGRAPH, line) for line in visible.splitlines() if line.strip()]
    instead = blocked(about.title, blocks, about.meta, about.node)
    return instead if instead in ("paywall", "consent_wall") else None
