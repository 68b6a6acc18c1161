"""The surroundings of the heading of a page without a name: the text that leads in, and the trail
of links to the page.
"""

from collections.abc import Iterator
from itertools import islice

from lxml import etree
from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.attributes import found
from app.engine.extraction.text.onetext import HEADINGS, OneText
from app.engine.extraction.text.slices import letters, trimmed
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set

_LEAD_PRIOR = 0.52
_TRAIL_PRIOR = 0.65
_LONG_TRAIL_PRIOR = 0.5  # which of its steps is the one, nothing says
_SHORTEST_LEAD = 40
_LONGEST_LEAD = 1_200
_FARTHEST = 60  # elements from the heading to the text that leads in
_FEWEST_CRUMBS = 2  # with the home of the site
_MOST_CRUMBS = 12
_HOLDING = name_set("p div span section blockquote em strong header h2")
_INNER_BLOCKS = name_set("p div ul ol li table section article form h1 h2 h3 h4 h5 h6 figure")
_TRAILS = etree.XPath(
    "//*[contains(@class,'breadcrumb') or contains(@class,'Breadcrumb')"
    " or contains(@id,'breadcrumb') or contains(@aria-label,'readcrumb')]"
)


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


def trail(page: OneText, root: HtmlElement, title: str, kind: str) -> Iterator[FieldCandidate]:
    """The last step of the trail to a page, unless it is called like the `kind`."""
    for container in found(_TRAILS(root))[:_MOST_CRUMBS]:
        crumbs = _crumbs(page, container)
        if crumbs and letters(page.text[crumbs[-1].start : crumbs[-1].end]) == letters(title):
            crumbs = crumbs[:-1]
        if len(crumbs) >= _FEWEST_CRUMBS:
            last = page.text[crumbs[-1].start : crumbs[-1].end]
            if words(last) != words(kind):
                prior = _TRAIL_PRIOR if len(crumbs) == _FEWEST_CRUMBS else _LONG_TRAIL_PRIOR
                yield of_page("category", (crumbs[-1],), "text", prior)
            return


def _crumbs(page: OneText, container: HtmlElement) -> list[Leaf]:
    links = [each for each in container.iterdescendants("a") if each in page.places]
    if not 1 < len(links) <= _MOST_CRUMBS:
        return []
    places = [trimmed(page, *page.places[each], marks=" \n/>›»→|·•") for each in links]
    return [
        Leaf(start, end, None, element)
        for (start, end), element in zip(places, links, strict=True)
        if start < end
    ]
