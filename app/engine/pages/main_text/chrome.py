"""Tell the furniture of a site (menus, footers, banners) from text, and empty it."""

import re
from dataclasses import dataclass

from lxml.html import HtmlElement

from app.engine.pages.blocks.entries import classes_of
from app.engine.pages.blocks.walk import SKIPPED, name_set

_CHROME_TAGS = frozenset({"nav", "footer", "aside"})
_CHROME_ROLES = name_set(
    "navigation banner contentinfo complementary search menu menubar dialog alertdialog tablist "
    "toolbar"
)
_KEPT_TAGS = frozenset({"html", "body", "main", "article", "h1"})
_INVISIBLE_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# A class or id that begins so is never text.
_CERTAIN = re.compile(
    r"(?:(?:top|sub|bottom)?nav(?:list|bar)?|navigation|navheader|navfooter|breadcrumbs?|sidebar"
    r"|side-bar|sidenav|sphinxsidebar|footer|site-footer|page-footer|masthead|site-header|topbar"
    r"|cookies?|consent|gdpr|newsletter|subscribe|social|share|sharing|sharedaddy|addthis|advert|advertisement|ads?"
    r"|popup|modal|skip-?link|skip|pagination|pager|toc(?!-backref)|table-of-contents|tagcloud"
    r"|login|signup|searchbox|copyright|colophon|sr-only|visually-hidden|screen-reader-text|noprint"
    r"|mw-editsection|editsection|reference-backref|mw-jump-link|navbox|catlinks|minicart|wishlist"
    r"|related-posts|jp-relatedposts)(?:$|[-_])"
)
# A class or id that holds such a word is not text if it is mostly links, or short.
_LIKELY = re.compile(
    r"(?:^|[-_])(?:menu|menubar|megamenu|submenu|nav|navbar|navigation|breadcrumbs?|sidebar|footer"
    r"|related|recommended|recommendations|popular|trending|banner|sponsor|sponsored|promo"
    r"|promos|tags|taglist|share|sharing|social|socials|subscribe|newsletter|cookies?|consent|modal"
    r"|popup|cart|legal|pagination|pager|comment-form|respond|login|toc(?!-backref))(?:$|[-_])"
)
# What generators put inside the text: menus, tabs, buttons.
_MENUS = name_set(
    "toc navheader navfooter sphinxsidebar mw-editsection md-source-file rst-footer "
    "theme-edit-this-page edit-this-page edit-page-link editlink edit-link md-content__button "
    "tabbed-labels copybtn copy-btn copybutton copy-button clipboard-copy viewcode-back "
    "noprint navbox catlinks printfooter"
)
# A class that begins so frames the text, also where a generator put it inside.
_FRAME = re.compile(
    r"(?:footer|site-footer|page-footer|breadcrumbs?|pagination|pager|prev-next|copyright|searchbox)"
    r"(?:$|[-_])"
)
_HEADINGS = name_set("h1 h2 h3 h4 h5 h6")
_QUOTATIONS = frozenset({"blockquote", "figure"})
_EMPTIED = "template"  # which nobody reads
_MOST_NAMES = 40
_SHORT = 200


@dataclass(frozen=True, slots=True)
class Sizes:
    """Characters of visible text, and of link text, at and below each element.

    `joining` is how many characters are copied, at most, when the children of one element are taken
    out one by one and the text after each is joined to the text before.
    """

    text: dict[HtmlElement, int]
    links: dict[HtmlElement, int]
    joining: int

    @property
    def elements(self) -> int:
        return len(self.text)

    def prose(self, element: HtmlElement) -> int:
        """Characters that are not link text."""
        return self.text.get(element, 0) - self.links.get(element, 0)


def measure(root: HtmlElement) -> Sizes:
    """Sizes of every element below `root`, in one pass from the leaves up."""
    text: dict[HtmlElement, int] = {}
    links: dict[HtmlElement, int] = {}
    joining = 0
    for element in reversed(list(root.iter())):
        length = linked = tails = 0
        if isinstance(element.tag, str) and element.tag not in SKIPPED:
            length = len((element.text or "").strip())
            for child in element:
                tails += len((child.tail or "").strip())
                length += text[child]
                linked += links[child]
            joining = max(joining, len(element) * tails)
            length += tails
        text[element] = length
        links[element] = length if element.tag == "a" else linked
    return Sizes(text, links, joining)


def drop_chrome(root: HtmlElement, sizes: Sizes, document: HtmlElement | None = None) -> None:
    """Empty furniture in place. What holds 40 % of the page's prose is never furniture: broken
    markup leaves menus open around the whole page. Inside `document`, the element a documentation
    generator keeps for its text, only that generator's own menus go: there an id is the slug of a
    heading ("sharing-state") and an aside is a footnote."""
    most = 0.4 * max(1, sizes.prose(root))
    titled = {ancestor for h1 in root.iter("h1") for ancestor in h1.iterancestors()}
    inside = set(document.iter()) if document is not None else set()
    doomed = [
        element
        for element in root.iter()
        if isinstance(element.tag, str)
        and element.tag not in _KEPT_TAGS
        and sizes.prose(element) <= most
        and (
            _is_menu(element)
            if element in inside
            else is_furniture(element)
            or (element not in titled and _is_named_chrome(element, sizes))
        )
    ]
    for element in doomed:
        # Emptied where it stands. To take it out, its tail would have to be joined to the text
        # before it: quadratic work in a row of such elements, and lxml refuses to set characters
        # that it has read itself, such as form feeds.
        element.clear(keep_tail=True)
        element.tag = _EMPTIED


def is_furniture(element: HtmlElement) -> bool:
    """True if its tag, role or style says that an element is not text, or not seen."""
    if element.tag == "aside" and "footnote" in (element.get("class") or ""):
        return False
    if element.tag in _CHROME_TAGS or element.get("role") in _CHROME_ROLES:
        return True
    if element.tag == "header":
        inside = {ancestor.tag for ancestor in element.iterancestors()}
        return inside.isdisjoint({"main", "article", "section"})
    return is_hidden(element)


def _is_menu(element: HtmlElement) -> bool:
    names = classes_of(element)
    return (
        element.tag == "nav"
        # That of a quotation names its author.
        or (element.tag == "footer" and element.getparent().tag not in _QUOTATIONS)
        or element.get("role") in ("navigation", "contentinfo", "search")
        # Other elements of this role may hold the panels as well.
        or (element.tag == "ul" and element.get("role") == "tablist")
        or not _MENUS.isdisjoint(names)
        or any(map(_FRAME.match, names[:_MOST_NAMES]))
        # Of Asciidoctor; a section of such a name has a class.
        or (not names and element.tag == "div" and element.get("id") == "footer")
        # A panel is hidden while another of its tabs is open.
        or (is_hidden(element) and element.get("role") != "tabpanel")
    )


def is_hidden(element: HtmlElement) -> bool:
    """True if its attributes say that an element is not seen."""
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or bool(_INVISIBLE_STYLE.search(element.get("style") or ""))
    )


def _is_named_chrome(element: HtmlElement, sizes: Sizes) -> bool:
    if element.tag in _HEADINGS:
        return False
    slug = "" if element.tag == "section" else element.get("id") or ""
    names = f"{element.get('class') or ''} {slug}"[:2_000].lower().split()
    names = names[:_MOST_NAMES]
    if any(_CERTAIN.match(name) for name in names):
        return True
    if any(_LIKELY.search(name) for name in names):
        text = sizes.text.get(element, 0)
        return text < _SHORT or sizes.links.get(element, 0) > 0.4 * text
    return False
