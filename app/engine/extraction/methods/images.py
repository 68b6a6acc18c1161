"""The pictures of a page: which one shows what the page is about."""

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf

_PRIOR = 0.5
_NAMED_PRIOR = 0.66  # its description is what the page is called
_CLASS_PRIOR = 0.6
_SMALL = 120  # pixels
_MOST = 40
_TELLING = re.compile(r"hero|main|featured|primary|post-image|product|recipe|cover|large", re.I)
_NEVER = re.compile(r"logo|icon|avatar|sprite|pixel|badge|spacer|banner|placeholder|\.svg\b", re.I)


def pictures(page: OneText, title: str) -> list[FieldCandidate]:
    """The pictures that may be the one of what is called `title`."""
    candidates: list[FieldCandidate] = []
    for element, leaf in _sources(page):
        if len(candidates) >= _MOST:
            break
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        address = page.text[leaf.start : leaf.end]
        if _is_small(element) or _NEVER.search(f"{names} {address}"[:600]):
            continue
        prior = _PRIOR
        if title and _is_alike(element.get("alt") or "", title):
            prior = _NAMED_PRIOR
        elif _TELLING.search(names):
            prior = _CLASS_PRIOR
        prior *= 1 - 0.01 * len(candidates)
        candidates.append(of_page("image", (leaf,), "text", prior))
    return candidates


def _sources(page: OneText) -> Iterator[tuple[HtmlElement, Leaf]]:
    for (element, name), leaf in page.attributes.items():
        if element.tag == "img" and name in ("src", "data-src"):
            yield element, leaf


def _is_small(image: HtmlElement) -> bool:
    sizes = (image.get(name) or "" for name in ("width", "height"))
    return any(size.isdigit() and int(size) < _SMALL for size in sizes if len(size) < 6)


def _is_alike(description: str, title: str) -> bool:
    described = set(re.findall(r"\w{3,}", description[:300].casefold()))
    called = set(re.findall(r"\w{3,}", title[:300].casefold()))
    return bool(called) and len(described & called) >= 0.6 * len(called)
