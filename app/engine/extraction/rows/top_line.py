"""The line at the top of a page that says what the page is called and what that is: `git-add - Add
file contents to the index`.
"""

import re
from dataclasses import dataclass
from itertools import islice

from lxml.html import HtmlElement

from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.slices import letters
from app.engine.pages.blocks.walk import name_set

_FARTHEST = 400  # elements
_SHORTEST_NAME = 2
_BLOCKS = HEADINGS | name_set("p div dd td li")
_LINE = re.compile(r"(?P<name>\S[^\n]{0,60}?)\s[-–—]{1,2}\s(?P<text>\S+ \S[^\n]{5,400}?)[\s¶]*")


@dataclass(frozen=True, slots=True)
class TopLine:
    """The slices of the name and of what is said of it, and the element that holds both."""

    name: tuple[int, int]
    text: tuple[int, int]
    element: HtmlElement


def top_line(page: OneText) -> TopLine | None:
    """The first such line whose name the title of the document begins with."""
    title = letters(page.named("title"))
    for element, (start, end) in islice(page.places.items(), _FARTHEST):
        match = _LINE.fullmatch(page.text, start, end) if element.tag in _BLOCKS else None
        known = letters(match["name"]) if match else ""
        if match and len(known) >= _SHORTEST_NAME and title.startswith(known):
            return TopLine(match.span("name"), match.span("text"), element)
    return None
