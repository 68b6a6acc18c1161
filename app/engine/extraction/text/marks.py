"""Parts of a visible text that markup takes out of a value: what is struck out, what nobody sees,
the marks of notes, icons, links to the place itself, and raised digits, which are no more of the
number before them; and what is said above a table of all its cells.
"""

import re
from bisect import bisect_right

from lxml import etree
from lxml.html import HtmlElement

from app.engine.extraction.text.attributes import found
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.extraction.text.spans import Span, Spans
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.entries import classes_of
from app.engine.pages.blocks.walk import name_set
from app.engine.pages.main_text.chrome import is_hidden

_MARKING = etree.XPath(
    "//del | //s | //strike | //sup | //span | //a | //i[@class] | //*[@hidden] | //*[@style]"
)
_STRUCK = name_set("del s strike")
_ICONS = name_set("icon icons material-icons material-symbols-outlined material-symbols-rounded")
_THROUGH = re.compile(r"text-decoration[^;]*line-through", re.IGNORECASE)
_NOTE = re.compile(r"\[[^\]]{1,12}\]|\(?[*†‡§]+\)?")
_BARE_NOTE = re.compile(r"[a-z]|\d{1,2}")
_WORD_BEFORE = re.compile(r"[^\W\d_]{3}$")  # not that of m² or CO₂
_NEVER_FROM = 0.4  # of the text: broken markup strikes out all that follows
_EDGES = " \n"
_LONGEST_ABOVE, _LONGEST_HEAD, _LONGEST_LABEL = 120, 1_000, 32
_DIGIT = re.compile(r"\d")


class Marks:
    """Reads what markup says of the text of one page."""

    def __init__(self, page: OneText) -> None:
        self._page = page
        self._notes: dict[int, int] = {}  # where each begins, by where it ends
        self._icons: dict[int, int] = {}  # where each ends, by where it begins
        self._raised: list[int] = []
        self._heads: dict[HtmlElement | None, str] = {}
        struck: list[Span] = []
        unseen: list[Span] = []
        most = _NEVER_FROM * page.visible_end
        first = next(iter(page.places), None)
        for element in () if first is None else found(_MARKING(first.getroottree())):
            start, end = page.places.get(element, (0, 0))
            if element.tag == "sup":
                self._read_raised(element, start, end)
            elif end - start < most and _is_struck(element):
                struck.append((start, end))
            elif start < end and _is_icon(element, page.text[start:end]):
                self._icons[start], self._notes[end] = end, start
            elif element.tag in ("span", "a") and _NOTE.fullmatch(page.text, start, end):
                self._notes[end] = start
            if end - start < most and _is_unseen(element):
                unseen.append((start, end))
        self._struck, self._unseen = Spans(struck), Spans(unseen)
        self._raised.sort()

    def without(self, leaf: Leaf) -> Leaf | None:
        """A slice without the struck text and icons at its ends, and the mark of a note at its end;
        None if nothing is left of it."""
        start, end = leaf.start, leaf.end
        while start < end:
            before = start, end
            if struck := self._struck.at(start):
                start = min(end, struck[1])
            elif struck := self._struck.at(end - 1):
                end = struck[0]
            elif self._notes.get(end, start) > start:
                end = self._notes[end]
            elif self._icons.get(start, end) < end:
                start = self._icons[start]
            if before == (start, end):
                break
            start, end = trimmed(self._page, start, end, _EDGES)
        return leaf._replace(start=start, end=end) if start < end else None

    def are_raised(self, start: int, end: int) -> bool:
        """True if a slice has digits that are raised above those before them: 3 of 10³."""
        at = bisect_right(self._raised, start)
        return at < len(self._raised) and self._raised[at] < end

    def is_unseen(self, start: int) -> bool:
        return self._unseen.at(start) is not None

    def said_before(self, leaf: Leaf) -> str:
        """Returns what is said of the number in a slice: above its table, and right before it."""
        text, number = self._page.text, _DIGIT.search(self._page.text, leaf.start, leaf.end)
        start = number.start() if number else leaf.start
        before = text[max(0, start - _LONGEST_LABEL) : start]
        table = next(leaf.element.iterancestors("table"), None)
        return f"{self._above(table)}\n{_DIGIT.split(before)[-1]}"

    def _above(self, table: HtmlElement | None) -> str:
        """Returns the text right above a table, its caption and its first row."""
        if table not in self._heads and table is not None:
            start, _ = self._page.places.get(table, (0, 0))
            _, end = self._page.places.get(next(table.iter("tr"), table), (start, start))
            first = max(0, start - _LONGEST_ABOVE)
            self._heads[table] = self._page.text[first : min(end, start + _LONGEST_HEAD)]
        return self._heads.get(table, "")

    def _read_raised(self, element: HtmlElement, start: int, end: int) -> None:
        text = self._page.text
        shown, before = text[start:end], text[max(0, start - 3) : start]
        leads_down = any((link.get("href") or "").startswith("#") for link in element.iter("a"))
        is_bare = _BARE_NOTE.fullmatch(shown) and _WORD_BEFORE.search(before)
        if start < end and (leads_down or is_bare or _NOTE.fullmatch(shown)):
            self._notes[end] = start
        elif shown[:1].isdigit() and before[-1:].isdigit():
            self._raised.append(start)


def _is_struck(element: HtmlElement) -> bool:
    return element.tag in _STRUCK or bool(_THROUGH.search(element.get("style") or ""))


def _is_icon(element: HtmlElement, shown: str) -> bool:
    """True for the name or the letter of an icon, and for the sign of a link to where it stands."""
    if not _ICONS.isdisjoint(classes_of(element)):
        return " " not in shown
    return (element.get("href") or "").startswith("#") and not any(map(str.isalnum, shown))


def _is_unseen(element: HtmlElement) -> bool:
    """True for what nobody sees; what only is not read aloud is seen."""
    return is_hidden(element) and element.get("aria-hidden") != "true"
