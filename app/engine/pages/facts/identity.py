"""The party behind a page, as far as its markup says: a publisher, and a way to reach somebody."""

import re
import unicodedata
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from lxml.html import HtmlElement

from app.engine.pages.blocks.structured import Node, names
from app.engine.pages.blocks.walk import name_set

# Path segments and link texts under which sites say who they are, letters only: English, German,
# French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Chinese, Japanese.
_CONTACT = name_set(
    "contact contactus about aboutus aboutme imprint masthead kontakt impressum uberuns ueberuns "
    "apropos nouscontacter quisommesnous mentionslegales contacto quienessomos sobrenosotros "
    "acercade contatti chisiamo contato sobrenos quemsomos overons colofon onas kontakty контакты "
    "онас 联系我们 关于我们 お問い合わせ 会社概要"
)
_PUBLISHERS = (
    "publisher",
    "dc.publisher",
    "dcterms.publisher",
    "citation_publisher",
    "og:site_name",
)
_EXTENSION = re.compile(r"\.(?:html?|php|aspx?)$")
_MOST_LINKS = 5_000
_LONGEST = 100


def publisher_of(meta: Mapping[str, str], node: Node, found: list[Node]) -> str | None:
    """Returns the publisher that the page names, or the first organisation it describes."""
    stated = names(node.get("publisher"), found)
    stated += [meta[name] for name in _PUBLISHERS if name in meta]
    stated += [
        name for x in found if "Organization" in str(x.get("@type")) for name in names(x, [])
    ]
    return next((line for x in stated if (line := " ".join(x.split())[:300])), None)


def links_to_contact(root: HtmlElement) -> bool:
    """True if some link leads to a contact, about or imprint page, or is a mail address."""
    for count, link in enumerate(root.iter("a")):
        if count >= _MOST_LINKS:
            break
        href = (link.get("href") or "").strip()[:500]
        if href.startswith("mailto:") or _says_who(_last_segment(href)):
            return True
        if href and _says_who((link.text or "").strip()):
            return True
    return False


def _last_segment(href: str) -> str:
    try:
        path = urlsplit(href).path
    except ValueError:
        return ""
    return unquote(path.rstrip("/").rpartition("/")[2])


def _says_who(name: str) -> bool:
    if not 0 < len(name) <= _LONGEST:
        return False
    plain = unicodedata.normalize("NFD", _EXTENSION.sub("", name.lower()))
    return "".join(x for x in plain if x.isalpha()) in _CONTACT
