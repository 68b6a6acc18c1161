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
_SET_OFF = frozenset({"b", "strong", "code", "tt"})
_BOLD = frozenset({"b", "strong"})
_LEAST_BELOW = 80  # characters: what is less may be an address
_NAME = re.compile(r"\S{1,60}")
_LABELLED = re.compile(r"[^\W\d_]{2,20}: ?\S")


def names_entry(element: HtmlElement) -> bool:
    """True if a block is a short line that an anchor makes a place of its own to link to, or one
    all in bold or in code above a text that is indented.
    """
    if element.tag not in _LINES or element.getnext() is None:
        return False
    if not (_is_set_off(element) or _has_anchor(element)):
        return False
    if any(child.tag in _LINES or child.tag in ("br", "img") for child in element):
        return False
    text = _text_within(element, _LONGEST_NAME)
    return bool(text) and not _STOPS.search(text)


def run_in_heading(paragraph: HtmlElement, *, used: bool) -> HtmlElement | None:
    """The line in bold with which a paragraph begins, where a break parts it from enough text. In a
    page that has `used` such headings, one may stand alone.
    """
    descendants = islice(paragraph.iterdescendants(), _MOST_LOOKED_AT)
    line = next((each for each in descendants if not _is_anchor(each)), None)
    if paragraph.tag != "p" or line is None or line.tag not in _BOLD:
        return None
    name = _text_within(line, _LONGEST_NAME)
    text = " ".join("".join(islice(paragraph.itertext(), _MOST_LOOKED_AT)).split())
    following = line.getnext()
    is_parted = following is not None and following.tag == "br" and not (line.tail or "").strip()
    if not name or not text.startswith(name) or not (is_parted or text == name):
        return None
    heads = len(text) >= len(name) + (0 if used else _LEAST_BELOW)
    return line if heads and (name[-1] == "?" or not _STOPS.search(name)) else None


def signature_of(table: HtmlElement) -> tuple[str, str] | None:
    """The name of an entry and its labels, where a table is one row of them: name | Type: int."""
    rows = list(islice(table.iter("tr"), 2))
    if len(rows) != 1 or table.getnext() is None:
        return None
    cells = [_text_within(cell, _LONGEST_NAME) for cell in rows[0] if cell.tag in ("td", "th")]
    if len(cells) < 2 or not _NAME.fullmatch(cells[0]) or not all(map(_LABELLED.match, cells[1:])):
        return None
    return cells[0], " | ".join(cells[1:])


def is_prototype(table: HtmlElement) -> bool:
    """True for the table in which Doxygen sets a function and its parameters."""
    return "memname" in classes_of(table)


def heads_section(heading: HtmlElement) -> bool:
    """False for the title of a box beside the text, and for the name of an author."""
    around = heading.getparent()
    return (around is None or _NOTES.isdisjoint(classes_of(around))) and _AUTHORS.isdisjoint(
        classes_of(heading)
    )


def is_anchored(element: HtmlElement) -> bool:
    """True if a page can be linked to at the place of an element."""
    return element.get("id") is not None or _has_anchor(element)


def follows_name(element: HtmlElement) -> bool:
    """True if a term stands directly under another one, which has the same meaning."""
    before = element.getprevious()
    return element.tag == "dt" and before is not None and before.tag == "dt"


def classes_of(element: HtmlElement) -> list[str]:
    return (element.get("class") or "").split()


def _is_set_off(line: HtmlElement) -> bool:
    """True if a line is all in bold or in code, and a text that is indented follows."""
    following, around = line.getnext(), line.getparent()
    if following is None or following.tag != "blockquote" or len(line) != 1:
        return False
    if around is not None and around.tag == "li":  # an item belongs to its list
        return False
    if (line.text or "").strip() or (line[0].tail or "").strip():
        return False
    return line[0].tag in _SET_OFF


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
