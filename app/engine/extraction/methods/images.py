"""The pictures of a page: which one shows what the page is about."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import FieldCandidate, element_path, of_page
from app.engine.extraction.text.attributes import PICTURES, PINNED
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf

_SMALL = 120  # pixels
_MOST = 40
_REPEATED_FROM = 3
_NEVER = re.compile(r"logo|icon|avatar|sprite|pixel|badge|spacer|banner|placeholder|\.svg\b", re.I)
_STEM = re.compile(r"(?:[-_](?:\d{2,4}x\d{2,4}|scaled))?(?:\.\w{3,4}){1,2}$")
_SIZED = re.compile(r"[-_]\d{2,4}x\d{2,4}\.\w+$")


@dataclass(slots=True)
class Picture:
    """A picture that may be the one of the page, and what speaks for it."""

    candidate: FieldCandidate
    evidence: dict[str, float]


def pictures(page: OneText) -> list[Picture]:
    """The pictures of a page that are not small, by address, with their features."""
    sources = list(_sources(page))[:_MOST]
    addresses = [_without_query(page.text[leaf.start : leaf.end]) for _, _, leaf in sources]
    pinned = {at for (_, name, _), at in zip(sources, addresses, strict=True) if name in PINNED}
    names = Counter(map(_stem, addresses))
    pinned_names = set(map(_stem, pinned))
    places = Counter(element_path(element) for element, name, _ in sources if name not in PINNED)
    found: dict[str, Picture] = {}
    shown = 0
    # What the page shows comes before what it only has others show.
    ordered = sorted(zip(sources, addresses, strict=True), key=lambda each: each[0][1] in PINNED)
    for (element, name, leaf), address in ordered:
        is_shown = name not in PINNED
        evidence = {
            "picture": 1.0,
            "picture, first": float(is_shown) / (1 + shown),
            "picture, pinned": float(address in pinned),
            "picture, pinned otherwise": float(_stem(address) in pinned_names),
            "picture, shown": float(is_shown),
            "picture, again": float(names[_stem(address)] > 1),
            "picture, repeated": float(places[element_path(element)] >= _REPEATED_FROM),
            "picture, sized": float(bool(_SIZED.search(address))),
            "picture, link": float(is_shown and _is_linked(element)),
        }
        shown += is_shown
        found.setdefault(address, Picture(of_page("image", (leaf,), "text", 0.0), evidence))
    return list(found.values())


def _sources(page: OneText) -> Iterator[tuple[HtmlElement, str, Leaf]]:
    for (element, name), leaf in page.attributes.items():
        if name not in PICTURES or element.tag in ("script", "iframe", "source", "video"):
            continue
        address = page.text[leaf.start : leaf.end]
        names = f"{element.get('class') or ''} {element.get('id') or ''} {address}"
        if not (_is_small(element) or _NEVER.search(names[:600])):
            yield element, name, leaf


def _stem(address: str) -> str:
    """The name of the file, whatever the size of the picture."""
    return _STEM.sub("", address).rpartition("/")[2].casefold()


def _without_query(address: str) -> str:
    return re.sub(r"^https?:", "", address.partition("?")[0])


def _is_linked(image: HtmlElement) -> bool:
    """True if a picture is a link to a page, as those of other pages are."""
    link = next(image.iterancestors("a"), None)
    return link is not None and not re.search(
        r"\.(?:jpe?g|png|webp|gif)\b|^#|^$", link.get("href") or ""
    )


def _is_small(image: HtmlElement) -> bool:
    sizes = (image.get(name) or "" for name in ("width", "height"))
    return any(size.isdigit() and int(size) < _SMALL for size in sizes if len(size) < 6)
