"""Pages that lack what they are for: a browser would show more, or there is nothing to show."""

import re
from collections.abc import Sequence

from lxml import etree
from lxml.html import HtmlElement

from app.engine.extraction.records.records import Record
from app.engine.extraction.text.attributes import found
from app.engine.extraction.text.onetext import OneText
from app.engine.pages.facts.metadata import host_names, without_site

_LITTLE = 200  # characters of visible text
_SHORT = 3_000
_LONGEST_TITLE = 200
_ROOTS = etree.XPath(
    "//*[@id='root' or @id='app' or @id='__next' or @id='__nuxt' or @data-reactroot]"
)
_HINT = re.compile(r"java\s?script|enable\s+js\b", re.IGNORECASE)
_NOT_FOUND = re.compile(
    r"\bnot found\b|(?:cannot|can't|could ?n[o']t) be found|no longer (?:available|exists?)"
    r"|does(?:n't| not) exist|nicht gefunden|introuvable|no (?:se ha )?encontrad[ao]"
    r"|não encontrad[ao]|non trovat[ao]|niet gevonden|nie znaleziono|nenalezen[ao]?"
    r"|не найден[ао]?|見つかりません|找不到",
    re.IGNORECASE,
)

_BARE_404 = re.compile(r"\b404\b")
_ERROR = re.compile(
    r"\b(?:error|fehler|erreur|erro|errore|fout|fel|fejl|feil|błąd|chyba|hiba|virhe|ошибка|oops"
    r"|whoops|missing|http)\b|エラー|错误|錯誤",
    re.IGNORECASE,
)


def needs_rendering(root: HtmlElement, page: OneText, records: Sequence[Record]) -> bool:
    """True if scripts would have to run before the page shows anything."""
    if page.visible_end >= _LITTLE or any(_from_structure(record) for record in records):
        return False
    if any(not page.of(element).strip() for element in found(_ROOTS(root))):
        return True
    if any(_HINT.search(" ".join(hint.itertext())) for hint in root.iter("noscript")):
        return True
    return any(not block.linked_data for block in page.blocks)


def _from_structure(record: Record) -> bool:
    return any(each.kind == "structured" for each in record.provenance)


def soft_404(root: HtmlElement, page: OneText, url: str) -> bool:
    """True if a page that was served as one says, where its title stands, that there is none."""
    if page.visible_end > _SHORT:
        return False
    titles = [page.text[leaf.start : leaf.end] for name, leaf in page.meta if name == "title"]
    titles += [page.of(h1) for h1 in root.iter("h1") if h1 in page.places]
    sites = host_names(url)
    return any(_says_there_is_none(title[:_LONGEST_TITLE], sites) for title in titles[:5])


def _says_there_is_none(title: str, sites: Sequence[str]) -> bool:
    """The number alone may be a part of a name: it needs a word of error, or nothing beside it."""
    if _NOT_FOUND.search(title):
        return True
    if not _BARE_404.search(title):
        return False
    return bool(_ERROR.search(title)) or without_site(title, tuple(sites)).strip(" .!:-") == "404"
