"""The signs by which a page says of itself that it is about an old version."""

import re

from lxml.html import HtmlElement

from app.engine.pages.blocks.walk import SKIPPED
from app.engine.pages.main_text.chrome import is_hidden
from app.engine.text.versions import version_of_address

# Notices stand above the text, after the menus at most.
_MOST_CHARACTERS = 10_000
_OLD = (
    r"(?:unsupported|older|old|outdated|out-of-date|obsolete|archived|previous|insecure|deprecated)"
)
_GAP = r"(?:[^.!?]|\.\d){0,80}"  # within a sentence
_NOTICE = re.compile(
    rf"\bth(?:is|ese) (?:page|document|documentation|docs|manual|guide|version)\b{_GAP}"
    rf"\b(?:an?|the) {_OLD} (?:stable )?(?:version|release)\b"
    r"|\bth(?:is|e) (?:page|document|documentation|docs|manual|version)\b[^.!?]{0,40}\bversion\b"
    r"[^!?]{0,80}\b(?:no longer|not) (?:actively )?(?:supported|maintained)\b"
    r"|\bthis is (?:the )?documentation for\b[^!?]{0,80}\bno longer (?:actively )?maintained\b"
    rf"|\byou are (?:currently )?(?:reading|viewing|looking at)\b[^.!?]{{0,60}}\b{_OLD} "
    r"(?:version|release)\b"
    r"|\byou are not (?:reading|viewing|using) the (?:most recent|latest|current|newest) version\b"
    r"|\ba (?:newer|more recent) version of (?:this|the) (?:page|document|documentation|docs)"
    r" is available\b"
    r"|\b(?:veraltete|ältere|nicht mehr unterstützte)n? version (?:dieser|der) "
    r"(?:seite|dokumentation)\b"
    r"|\b(?:ancienne version|version (?:obsolète|périmée)) de (?:cette|la) (?:page|documentation)\b"
    r"|\bversión (?:antigua|obsoleta|anterior) de (?:esta|la) (?:página|documentación)\b",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")
_UNSEEN = SKIPPED - {"head"}


def is_outdated(root: HtmlElement, url: str, canonical_url: str | None) -> bool:
    """True if a notice says so, or the address it calls its own is that of a newer version."""
    own, preferred = version_of_address(url), version_of_address(canonical_url)
    if own and preferred and own[0] == preferred[0] and own[1] < preferred[1]:
        return True
    return bool(_NOTICE.search(_beginning(root)))


def _beginning(root: HtmlElement) -> str:
    """Returns what is seen of a page first, menus and banners included."""
    pieces: list[str] = []
    length = 0
    pending: list[HtmlElement | str] = [root]
    while pending and length < _MOST_CHARACTERS:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
            length += len(item)
            continue
        pending.append(item.tail or "")
        if isinstance(item.tag, str) and item.tag not in _UNSEEN and not is_hidden(item):
            pending += [*reversed(item), item.text or ""]
    return _SPACES.sub(" ", "".join(pieces)[:_MOST_CHARACTERS])
