"""Find the main text of an HTML page: what its author wrote, without the furniture of the site."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement
from trafilatura import bare_extraction

from app.engine.pages.blocks.canonical import Block
from app.engine.pages.blocks.controls import is_handle, without_controls
from app.engine.pages.blocks.grids import as_named_tables
from app.engine.pages.blocks.walk import blocks_of
from app.engine.pages.main_text.chrome import Sizes, drop_chrome, measure
from app.engine.pages.main_text.two_readings import reconcile

# The elements in which documentation generators put the document itself: Sphinx, DocBook, MkDocs,
# Docusaurus, mdBook, rustdoc, Javadoc, GitHub, VitePress, Doxygen. There the container is the
# answer.
_DOCUMENTATION = etree.XPath(
    "//div[@role='main' and (contains(@class,'body') or contains(@class,'document'))]"
    "|//*[contains(concat(' ',@class,' '),' md-content ')]"
    "|//*[contains(@class,'theme-doc-markdown') or contains(@class,'vp-doc')]"
    "|//*[contains(concat(' ',@class,' '),' markdown-body ')]"
    "|//*[contains(concat(' ',@class,' '),' rst-content ')]"
    "|//section[@id='main-content' and contains(@class,'content')]"
    "|//body[.//div[@class='navheader' or @class='navfooter']]"
    "|//body[@id='docContent']"
    "|//div[@class='contents'][//meta[@name='generator' and starts-with(@content,'Doxygen')]]"
    "|//body[//meta[@name='generator' and (starts-with(@content,'DocBook')"
    " or starts-with(@content,'Asciidoctor'))]]"
    # Its themes put menus and footers around the sections.
    "|//meta[@name='generator' and starts-with(@content,'Docutils')]/following::h1"
    "[parent::section or parent::div[contains(@class,'section') or contains(@class,'document')]]"
    "/../.."
    "|//main[//meta[@name='generator' and (contains(@content,'javadoc')"
    " or contains(@content,'rustdoc'))] or ancestor::*[@id='page-wrapper' or @id='content']]"
)
_MAIN = etree.XPath("//main|//*[@role='main']")
_ARTICLE = etree.XPath("//article")
# Only generators of documentation give sections handles: the container is the document then.
_SECTIONS = frozenset({"h2", "h3", "h4"})
_ENOUGH_HANDLES = 4
_MOST_ELEMENTS_TO_COMPARE = 30_000
_MOST_JOINING_TO_COMPARE = 100_000_000  # characters: trafilatura takes elements out one by one
_TO_HTML = {
    "head": "h2",
    "list": "ul",
    "item": "li",
    "row": "tr",
    "cell": "td",
    "lb": "br",
    "quote": "blockquote",
}


@dataclass(frozen=True, slots=True)
class MainText:
    """The blocks of the main text; `visible` counts the characters of all text on the page."""

    blocks: Sequence[Block]
    visible: int


def main_text(root: HtmlElement) -> MainText:
    """The main text below `root`, which is changed on the way: hand over a tree of your own.

    Two opinions are compared, except on pages of documentation. Ours keeps the best container
    without chrome, in full. trafilatura (fast) chooses paragraphs and is the more careful on
    articles, but loses sections of forums, product and service pages, and the form of listings and
    tables. Measured by bench/extraction.py.
    """
    as_named_tables(root)
    sizes = measure(root)
    documented = _largest(_DOCUMENTATION(root), sizes)
    second = None
    if documented is None and _can_be_compared(sizes) and not _sections_have_handles(root):
        second = _second_opinion(root)
    drop_chrome(root, sizes, documented)
    container = _container(root, documented, measure(root))
    blocks: Sequence[Block] = blocks_of(container)
    if documented is None:
        blocks = without_link_lists(blocks)
    if second is not None:
        blocks = reconcile(blocks, second)
    return MainText(without_controls(blocks), sizes.text[root])


def without_link_lists(blocks: Sequence[Block]) -> list[Block]:
    """`blocks` without the lists and tables that hold little but links."""
    kept: list[Block] = []
    for group in _groups(blocks):
        linked, length = sum(b.linked for b in group), sum(len(b.text) for b in group)
        if not (group[0].group and linked > 0.8 * length):
            kept += group
    return kept


def _can_be_compared(sizes: Sizes) -> bool:
    few = sizes.elements <= _MOST_ELEMENTS_TO_COMPARE
    return few and sizes.joining <= _MOST_JOINING_TO_COMPARE


def _sections_have_handles(root: HtmlElement) -> bool:
    """True if several headings carry a link to themselves."""
    handled: set[HtmlElement] = set()
    for link in root.iter("a"):
        heading = next((x for x in islice(link.iterancestors(), 2) if x.tag in _SECTIONS), None)
        if heading is not None and is_handle(link):
            handled.add(heading)
            if len(handled) == _ENOUGH_HANDLES:
                return True
    return False


def _second_opinion(root: HtmlElement) -> list[Block] | None:
    etree.strip_attributes(root, "colspan", "rowspan")  # the library fills spans with cells
    try:
        document = bare_extraction(
            root, fast=True, include_comments=False, include_tables=True, include_formatting=True
        )
    except (AttributeError, LookupError, RecursionError, ValueError, etree.LxmlError):
        return None  # a page that breaks the library still has our own reading
    if document is None or isinstance(document, dict) or document.body is None:
        return None
    for element in document.body.iter():
        rank = element.get("rend") or ""
        if element.tag == "head" and re.fullmatch(r"h[1-6]", rank):
            element.tag = rank
        elif element.tag == "hi" and rank == "#sup":
            element.tag = "sup"
        elif element.tag == "code" and "\n" in str(element.xpath("string()")):
            element.tag = "pre"
        elif element.tag in _TO_HTML:  # others stay: lxml refuses to set all it has read
            element.tag = _TO_HTML[element.tag]
    return blocks_of(document.body)


def _container(root: HtmlElement, documented: HtmlElement | None, sizes: Sizes) -> HtmlElement:
    if documented is not None:
        return documented
    for candidates in (_MAIN(root), _ARTICLE(root)):
        best = _largest(candidates, sizes)
        if best is not None and sizes.prose(best) > 0.5 * sizes.prose(root):
            return best
    return root


def _largest(candidates: object, sizes: Sizes) -> HtmlElement | None:
    elements = [c for c in candidates if sizes.prose(c)] if isinstance(candidates, list) else []
    return max(elements, key=sizes.prose, default=None)


def _groups(blocks: Sequence[Block]) -> list[list[Block]]:
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and block.group and groups[-1][0].group == block.group:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups
