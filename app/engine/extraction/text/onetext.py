"""The one text of a page that every quote points into: what is seen, then what is only stated.

Nothing is searched afterwards: where a value stands is known when it is written, so that
`quote == text[start:end]` holds by construction. The visible part folds white space across nodes;
each text node is in NFC by itself. Below `visible_end` each value of a script block, each pair of
`meta`, microdata or RDFa and each address has a line: where it was stated, a space, the value.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import itemgetter

from lxml.html import HtmlElement

from app.engine.extraction.text.stated import Leaf, ScriptBlock, StatedWriter, Writer
from app.engine.pages.blocks.walk import name_set

RANKS = ("h1", "h2", "h3", "h4", "h5", "h6")
HEADINGS = name_set(" ".join(RANKS))
_SKIPPED = name_set(
    "script style noscript template svg title iframe textarea select datalist object audio video "
    "canvas math"
)
_BLOCKS = name_set(
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li legend main menu nav ol p pre "
    "section summary table tbody td tfoot th thead tr ul"
)
_IN_WORDS = name_set("sub sup")
CODE = name_set("pre code kbd samp tt")
_ENDS, _BEGINS = re.compile(r"[^\W_]|[%)€£$°²³]"), re.compile(r"[^\W_]|[€£$¥₹+−±~≈★☆]")
_SHORTEST_CELL = 2  # one letter may begin a word

Places = dict[HtmlElement, tuple[int, int]]


@dataclass(slots=True)
class OneText:
    """`places` holds the slice of each element that shows text, in document order; `attributes`
    what is stated by an attribute, by element and its name; `meta` the named values of the head."""

    text: str = ""
    visible_end: int = 0
    places: Places = field(default_factory=dict)
    blocks: list[ScriptBlock] = field(default_factory=list)
    meta: list[tuple[str, Leaf]] = field(default_factory=list)
    attributes: dict[tuple[HtmlElement, str], Leaf] = field(default_factory=dict)
    truncated: bool = False

    _order: list[tuple[int, HtmlElement]] = field(default_factory=list)

    def holder(self, start: int, end: int) -> HtmlElement:
        """The smallest element that holds a visible slice."""
        index = bisect_right(self._ordered(), start, key=itemgetter(0)) - 1
        element = self._order[max(0, index)][1]
        while self.places[element][1] < end and (above := element.getparent()) in self.places:
            element = above
        return element

    def after(self, end: int) -> Iterator[HtmlElement]:
        """The visible elements that begin at or after a place, in document order."""
        index = bisect_left(self._ordered(), end, key=itemgetter(0))
        return (element for _, element in islice(self._order, index, None))

    def _ordered(self) -> list[tuple[int, HtmlElement]]:
        if not self._order:
            self._order = [(place[0], element) for element, place in self.places.items()]
        return self._order

    def named(self, name: str) -> str:
        """The first value of the head by a name; "" where there is none."""
        leaf = next((leaf for known, leaf in self.meta if known == name), None)
        return self.text[leaf.start : leaf.end] if leaf else ""

    def of(self, element: HtmlElement) -> str:
        """Returns the text that an element shows."""
        start, end = self.places.get(element, (0, 0))
        return self.text[start:end]

    def section_end(self, heading: HtmlElement) -> int:
        """The end of the element that holds a heading and more."""
        end = self.places[heading][1]
        above = (self.places[each][1] for each in heading.iterancestors() if each in self.places)
        return next((place for place in above if place > end), end)


def one(root: HtmlElement, *, stated: bool = True) -> OneText:
    """The text of a parsed page. The tree stays as it is; its depth is bounded by the parser.

    Unless `stated`, of what is only stated nothing is written but addresses and times.
    """
    page, writer = OneText(), Writer()
    # Of the head as well: the parser leaves elements there that it does not know.
    for part in root if root.tag == "html" else (root,):
        _walk(part, writer, page.places)
    page.visible_end = writer.length
    below = StatedWriter(writer)
    below.write(root, scripts=stated)
    page.meta, page.blocks, page.attributes = below.meta, below.blocks, below.attributes
    page.truncated = below.truncated
    page.text = "".join(writer.parts)
    _trim(page)
    return page


def _walk(element: HtmlElement, writer: Writer, places: Places) -> None:
    tag = element.tag
    if tag in _SKIPPED or not isinstance(tag, str):
        return
    is_block = tag in _BLOCKS
    if is_block:
        writer.pending = "\n"
    before = writer.length
    places[element] = (before, before)  # in document order
    if text := element.text:
        writer.add(text)
    for child in element:
        _set_apart(child, writer, places)
        _walk(child, writer, places)
        if tail := child.tail:
            writer.add(tail)
    if writer.length > before:
        places[element] = (before, writer.length)
    else:
        del places[element]
    if is_block:
        writer.pending = "\n"


def _set_apart(element: HtmlElement, writer: Writer, places: Places) -> None:
    """Write white space before an element that stands beside another one, as a value does beside
    its label, unless they may be the parts of a word or of a program."""
    before = element.getprevious()
    if before is None or before.tail or writer.pending or element.tag in _IN_WORDS:
        return
    first = next(filter(None, element.itertext()), "")[:1]
    if not (_ENDS.match(writer.last) and _BEGINS.match(first)):
        return
    start, end = places.get(before, (0, 0))
    if writer.last.isdigit() or first.isdigit() or end - start >= _SHORTEST_CELL:
        is_code = any(above.tag in CODE for above in element.iterancestors())
        writer.pending = "" if is_code else " "


def _trim(page: OneText) -> None:
    """Leave out the white space that was written before the first word of an element."""
    text, places = page.text, page.places
    for element, (start, end) in places.items():
        if text[start] in " \n":
            places[element] = (start + 1, end)
