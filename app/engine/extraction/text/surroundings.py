"""The likelihood that an element is about the thing itself, and no menu, side box or other one."""

import re

from lxml.html import HtmlElement

from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.spans import Spans
from app.engine.pages.main_text.chrome import is_furniture

_FURNITURE = 0.4
_OF_ANOTHER = 0.1
_BESIDE = 0.55
_NEVER_FROM = 0.4  # of the text: broken markup leaves menus open around the whole page
_LONGEST_NAMES = 300
BESIDE = re.compile(
    r"(?:^|[-_ ])(?:nav|navbar|navigation|menu|footer|sidebar|side-bar|comments?|respond|related"
    r"|recommend\w*|newsletter|subscribe|cookies?|consent|modal|popup|login|signup|share|sharing"
    r"|social|breadcrumbs?|advert\w*|promo|banner|search|masthead|similar|popular|trending|latest"
    r"|recent|also-like)(?:$|[-_ ])",
    re.IGNORECASE,
)


class Surroundings:
    """Weights of elements by what is around them."""

    def __init__(self, page: OneText, others: Spans) -> None:
        """`others` are the parts of the page about other things than what is asked for."""
        self._weights: dict[HtmlElement, float] = {}
        most = _NEVER_FROM * page.visible_end
        for element, (start, end) in page.places.items():
            weight = self._weights.get(element.getparent(), 1.0)
            if weight == 1.0 and end - start < most:
                other = others.at(start)
                weight = _OF_ANOTHER if other and end <= other[1] else _own_weight(element)
            self._weights[element] = weight

    def weight(self, element: HtmlElement) -> float:
        """1 for what stands in the midst of the page, less for what stands beside it."""
        while (weight := self._weights.get(element)) is None:
            above = element.getparent()
            if above is None:
                return 1.0
            element = above
        return weight

    def in_furniture(self, element: HtmlElement) -> bool:
        """True for what stands in a menu, a side box or a foot."""
        return self.weight(element) <= _FURNITURE


def _own_weight(element: HtmlElement) -> float:
    if is_furniture(element):
        return _FURNITURE
    if element.tag == "a" and len(element) > 1:
        return _BESIDE  # a card of another page
    names = f"{element.get('class') or ''} {element.get('id') or ''}"[:_LONGEST_NAMES]
    return _BESIDE if BESIDE.search(names) else 1.0
