"""The text that leads in, below the main heading."""

import re
from collections.abc import Iterator
from itertools import islice

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set

_LEAD_PRIOR = 0.52
_SHORTEST_LEAD = 40
_LONGEST_LEAD = 1_200
_FARTHEST = 60  # elements from the heading to the text that leads in
_NOTICE = re.compile(
    r"disclosure|affiliate|sponsor|advertis|\bcookies?\b|all rights reserved|newsletter",
    re.IGNORECASE,
)
_HOLDING = name_set("p div span section blockquote em strong header h2")
_INNER_BLOCKS = name_set("p div ul ol li table section article form h1 h2 h3 h4 h5 h6 figure")


def lead(page: OneText, heading: FieldCandidate | None) -> Iterator[FieldCandidate]:
    """The first text of some length below the main heading, before the next one."""
    if heading is None:
        return
    for element in islice(page.after(heading.end), _FARTHEST):
        start, end = page.places[element]
        if element.tag in HEADINGS and element.tag != "h2":
            return
        if element.tag not in _HOLDING or not _SHORTEST_LEAD <= end - start <= _LONGEST_LEAD:
            continue
        if next(element.iterdescendants(*_INNER_BLOCKS), None) is not None or is_linked(
            page, element
        ):
            continue
        if _NOTICE.search(page.text, start, end):
            continue
        yield of_page("description", (Leaf(start, end, None, element),), "text", _LEAD_PRIOR)
        return


def is_linked(page: OneText, element: HtmlElement) -> bool:
    """True if most of what an element shows is links or buttons."""
    whole = page.places[element]
    links = sum(
        page.places[each][1] - page.places[each][0]
        for each in element.iterdescendants("a", "button")
        if each in page.places
    )
    return 2 * links > whole[1] - whole[0]
