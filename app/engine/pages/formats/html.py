"""Read an HTML or XHTML document."""

import re

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from app.engine.pages.blocks.canonical import lay_out
from app.engine.pages.blocks.formulas import as_lines
from app.engine.pages.blocks.grids import as_listings, as_tables
from app.engine.pages.blocks.line_numbers import without_line_numbers
from app.engine.pages.facts.language import language_of
from app.engine.pages.facts.links import base_of, links_of
from app.engine.pages.facts.metadata import metadata
from app.engine.pages.facts.outdated import is_outdated
from app.engine.pages.main_text.blocked import blocked
from app.engine.pages.main_text.main_text import main_text
from app.engine.pages.page import Page, PageUnreadable, Unreadable

_MOST_ELEMENTS = 100_000
# A start tag with forty attributes or more is no author's. libxml2 takes quadratic time over them,
# so they go before it sees them. Every "<a" is tried as a start, and every "<" counts as a further
# attribute: what is a tag and what is text need not be known, and cannot be faked.
_CROWDED_TAG = re.compile(
    r"(<[a-zA-Z][^\s/><]*+)"
    r"(?:[\s/]*+[^\s/>][^\s/>=<]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s><]++)?+)?+){40,}+"
)


# Characters that are no text, or stand for a line end, in HTML and elsewhere. lxml reads them, but
# refuses to set a text that holds one, which libraries then try to.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x1f\ufffe\uffff]")
_LINE_END = re.compile(r"[\v\f\x1c-\x1e]")


def read_html(markup: str, url: str, robots_tag: str | None = None) -> Page:
    """The page in `markup`, found at `url`. `robots_tag` is the X-Robots-Tag header.

    Raises PageUnreadable: EMPTY without any text, TOO_LARGE above 100,000 elements.
    """
    root = parse(markup)
    base = base_of(root, url)
    about = metadata(root, base, url, robots_tag)
    links = links_of(root, base)
    outdated = is_outdated(root, url, about.canonical_url)
    main = main_text(root)
    layout = lay_out(main.blocks)
    if not layout.text:
        raise PageUnreadable(Unreadable.EMPTY)
    shown = sum(len(block.text) for block in main.blocks)
    return Page(
        text=layout.text,
        title=about.title,
        headings=layout.headings,
        code=layout.code,
        language=language_of(layout.text, about.language),
        published=about.published,
        author=about.author,
        site_name=about.site_name,
        canonical_url=about.canonical_url,
        publisher=about.publisher,
        contact=about.contact,
        outdated=outdated,
        blocked=blocked(about.title, main.blocks, about.meta, about.node),
        links=links,
        noindex=about.noindex,
        nofollow=about.nofollow,
        main_text_ratio=min(1.0, shown / main.visible) if main.visible else 1.0,
    )


def parse(markup: str) -> HtmlElement:
    """The element tree of `markup`. libxml2 stops at 256 levels, which bounds all recursion."""
    # Bytes in a stated encoding, because lxml refuses text with an XML declaration.
    parser = HTMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
        huge_tree=False,
    )
    try:
        root = document_fromstring(_plain(markup).encode("utf-8", "replace"), parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
        raise PageUnreadable(Unreadable.EMPTY) from error
    if sum(1 for _ in root.iter()) > _MOST_ELEMENTS:
        raise PageUnreadable(Unreadable.TOO_LARGE)
    _release_text(root)
    without_line_numbers(root)
    as_lines(root)
    as_listings(root)
    as_tables(root)
    return root


def _release_text(root: HtmlElement) -> None:
    """A list without choices is a sentence about lists, whose author has not escaped the tag."""
    for choices in root.iter("select"):
        if next(choices.iter("option"), None) is None:
            choices.tag = "span"


def _plain(markup: str) -> str:
    return _CROWDED_TAG.sub(r"\1 ", _LINE_END.sub("\n", _CONTROL.sub("", markup)))
