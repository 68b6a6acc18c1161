"""The attributes by which elements state a value: addresses, times, pictures, widgets and tips."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

from lxml import etree
from lxml.html import HtmlElement

from app.engine.pages.blocks.walk import name_set

TIPS = ("aria-label", "title", "alt")
PINNED = ("media", "imagehref")
"""Names of the pictures that a page has others show for it: a link to share it, or load at once."""
PICTURES = frozenset({"data-pin-media", "srcset", "data-src", "src", "style", *PINNED})

_FURNITURE = name_set("nav header footer aside")
_MARKED = ("content", "datetime", "src", "href", "value", "data-src", "data")
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_LAZY = ("data-lazy-src", "data-src", "src")
_LONGEST_SET = 20_000
_MOST_WIDGETS = 200
_LONGEST_TIP = 100
_NUMBERS = etree.XPath(
    "//@*[starts-with(name(), 'data-') and string-length(.) < 12 and number(.) = number(.)]"
)
_TIPS = etree.XPath("//@title | //@aria-label | //img/@alt")
# A label with its value, a share of a whole, a count of opinions.
_TELLING = re.compile(
    r"[^\W\d_][^:\n]{1,38}: ?\S|\d (?:out of|of|von|sur|su|de|van|av|af|z) \d|\d ?/ ?\d"
    r"|\d (?:stars?|ratings?|reviews?|votes?)\b",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"[?&;]media=(https?(?::|%3A)[^&#\s]+)", re.IGNORECASE)
_BACKGROUND = re.compile(r"url\(\s*[\"']?([^\"')\s]+)")
_SIZED = re.compile(r"(?<![^\s,])(\S++)\s+(\d+(?:\.\d+)?)[wx]\s*(?:,|$)")

Stated = Iterator[tuple[HtmlElement, str, str]]


def stated(root: HtmlElement) -> Stated:
    """(element, name of the attribute, value) of the attributes that state a value: of microdata
    and RDFa, of times, links and pictures; the largest address of a picture."""
    for element in root.iter():
        tag = element.tag
        if element.get("itemprop") or (element.get("property") and tag not in ("meta", "link")):
            yield from _named(element, _MARKED)
        elif of_tag := _OF_TAG.get(tag):
            yield from of_tag(element)
        elif "background" in (style := element.get("style") or "") and (
            match := _BACKGROUND.search(style)
        ):
            yield element, "style", match[1]


def widgets(root: HtmlElement) -> Stated:
    """The numbers that elements keep for scripts, and tips that say a label with its value, or a
    share of a whole such as "4.6 out of 5"."""
    counted = 0
    for tips, attributes in ((False, _NUMBERS(root)), (True, _TIPS(root))):
        for value in found(attributes):
            if tips and (len(value) > _LONGEST_TIP or not _TELLING.search(value)):
                continue
            yield value.getparent(), value.attrname, value
            counted += 1
            if counted >= _MOST_WIDGETS:
                return


def found(result: object) -> list[Any]:
    """The nodes that a path leads to."""
    return list(result) if isinstance(result, list) else []


def _named(element: HtmlElement, names: tuple[str, ...]) -> Stated:
    for name in names:
        if (value := element.get(name)) is not None:
            yield element, name, value


def _picture(image: HtmlElement) -> Stated:
    if _is_within(image, _FURNITURE - {"header"}):
        return
    if pinned := image.get("data-pin-media"):
        yield image, "data-pin-media", pinned
        return
    for name in _SETS:
        offered = _SIZED.findall((image.get(name) or "")[:_LONGEST_SET])
        if offered:
            yield image, "srcset", max(offered, key=lambda each: float(each[1]))[0]
            return
    name = next((name for name in _LAZY if image.get(name)), "")
    if name and not (image.get(name) or "").startswith("data:"):
        yield image, "src" if name == "src" else "data-src", image.get(name) or ""


def _link(link: HtmlElement) -> Stated:
    address = link.get("href") or ""
    if match := _PARAMETER.search(address):
        yield link, "media", unquote(match[1])
    elif address and not (
        address.startswith(("#", "javascript:", "data:")) or _is_within(link, _FURNITURE)
    ):
        yield link, "href", address


def _preloaded(link: HtmlElement) -> Stated:
    if link.get("as") == "image":
        yield link, "imagehref", link.get("href") or ""


def _is_within(element: HtmlElement, tags: frozenset[str]) -> bool:
    return any(ancestor.tag in tags for ancestor in element.iterancestors())


_OF_TAG: dict[object, Callable[[HtmlElement], Stated]] = {
    "time": lambda element: _named(element, ("datetime",)),
    "img": _picture,
    "a": _link,
    "link": _preloaded,
}
