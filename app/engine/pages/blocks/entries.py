"""The names of entries and sections: terms, lines with an anchor, headings that head something."""

import re
from itertools import islice

from lxml.html import HtmlElement

_LINES = frozenset({"div", "p"})
_LONGEST_NAME = 120
_BOXES = "note tip hint warning caution important danger attention seealso admonition callout alert"
_NOTES = frozenset(_BOXES.split())
_AUTHORS = frozenset({"author", "editor", "othercredit", "byline"})
_STOPS = re.compile(r"[.!?…。！？:：;,][\"”'’)]*$")
_MOST_LOOKED_AT = 20


def names_entry(element: HtmlElement) -> bool:
    """True if a block is a short line that an anchor makes a place of its own to link to."""
    if element.tag not in _LINES or not _has_anchor(element) or element.getnext() is None:
        return False
    if any(child.tag in _LINES or child.tag in ("br", "img") for child in element):
        return False
    text = _text_within(element, _LONGEST_NAME)
    return bool(text) and not _STOPS.search(text)


def heads_section(heading: HtmlElement) -> bool:
    """False for the title of a box beside the text, and for the name of an author."""
    around = heading.getparent()
    return (around is None or _NOTES.isdisjoint(_classes(around))) and _AUTHORS.isdisjoint(
        _classes(heading)
    )


def is_anchored(element: HtmlElement) -> bool:
    """True if a page can be linked to at the place of an element."""
    return element.get("id") is not None or _has_anchor(element)


def follows_name(element: HtmlElement) -> bool:
    """True if a term stands directly under another one, which has the same meaning."""
    before = element.getprevious()
    return element.tag == "dt" and before is not None and before.tag == "dt"


def _classes(element: HtmlElement) -> list[str]:
    return (element.get("class") or "").split()


def _has_anchor(element: HtmlElement) -> bool:
    before = element.getprevious()
    if before is not None and _is_anchor(before) and not (before.tail or "").strip():
        return True
    return any(map(_is_anchor, islice(element.iter("a"), _MOST_LOOKED_AT)))


def _is_anchor(element: HtmlElement) -> bool:
    """True for `<a name="...">` and `<a id="...">`, which lead nowhere."""
    named = element.get("name") is not None or element.get("id") is not None
    return element.tag == "a" and named and element.get("href") is None


def _text_within(element: HtmlElement, most: int) -> str:
    """The text of an element on one line; nothing when it has more than `most` characters."""
    text = ""
    for piece in element.itertext():
        text += piece
        if len(text) > 2 * most:
            return ""
    line = " ".join(text.split())
    return line if len(line) <= most else ""
