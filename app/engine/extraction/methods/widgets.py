"""Attributes that say what scripts draw: stars, counts, tips such as "Total time: 47 min"."""

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.methods.classes import Namespaces
from app.engine.extraction.methods.name_match import Names
from app.engine.extraction.text.attributes import PICTURES, TIPS
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set

_DATA_PRIOR = 0.55
_TIP_PRIOR = 0.62
_MOST = 200
_CONTROLS = name_set("input button label option a")
_FORMS = name_set("form fieldset")
_LABELLED = re.compile(r"([^\W\d_][^:：\n]{1,38}?) ?[:：] ?(?=\S)(?!//)")
_SHARE = re.compile(r"(\d+(?:[.,]\d+)?) ?(?:/|out of|of|von|sur|su|de|van|av|af|z) ?(?:5|10)\b")
_STARS = re.compile(r"(\d(?:[.,]\d+)?) stars?\b", re.IGNORECASE)
_COUNT = re.compile(r"(\d[\d.,]{0,14}) (?:\w+ )?(?:ratings?|reviews?|votes?)\b", re.IGNORECASE)


def stated(page: OneText, names: Names) -> list[FieldCandidate]:
    """Values that attributes name, such as `data-rating="4.5"`, and those in tips."""
    candidates: list[FieldCandidate] = []
    data = [name for _, name in page.attributes if name.startswith("data-")]
    namespaces = Namespaces(data)
    for (element, name), leaf in page.attributes.items():
        if len(candidates) >= _MOST:
            break
        if name in TIPS:
            if _asks(element):
                continue
            candidates.extend(_told(page, element, leaf))
        elif name.startswith("data-") and name not in PICTURES:
            key = namespaces.key(name, names).removeprefix("data-")
            candidates.append(of_page(key, (leaf,), "text", _DATA_PRIOR, kind="data"))
    return candidates


def _asks(element: HtmlElement) -> bool:
    """True for what a visitor is to press or fill in."""
    return element.tag in _CONTROLS or any(a.tag in _FORMS for a in element.iterancestors())


def _told(page: OneText, element: HtmlElement, leaf: Leaf) -> Iterator[FieldCandidate]:
    label = _LABELLED.match(page.text, leaf.start, leaf.end)
    if label:
        value = leaf._replace(start=label.end())
        yield of_page(label[1], (value,), "text", _TIP_PRIOR, kind="tip")
    for pattern, key in ((_SHARE, "rating"), (_STARS, "rating"), (_COUNT, "rating count")):
        if match := pattern.search(page.text, leaf.start, leaf.end):
            value = leaf._replace(start=match.start(1), end=match.end(1))
            yield of_page(key, (value,), "text", _TIP_PRIOR, kind="tip")
