"""The demotion of a passage behind others whatever its words: lists of changes, old versions,
indexes, listings of source code, another language. Told by what a page says of itself and by its
address.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import median
from urllib.parse import unquote, urlsplit

from app.engine.search.interface import IndexedPassage
from app.engine.search.query import Query
from app.engine.text.scripts import primary_language
from app.engine.text.versions import Newest, Version, named, version_of_address

# What is left of the score of a passage that only leads to answers, tells what changed once, tells
# what was so in an older version, is in another language where others are in the question's, or is
# of a program's source, which a generator of manuals lists beside the pages that describe it.
NAVIGATION, NEWS, OUTDATED, FOREIGN, SOURCE_CODE = 0.6, 0.6, 0.7, 0.6, 0.6

_FEW_LINES, _SENTENCES, _SHORT_LINE, _LISTING = 8, 0.15, 50, 0.3
_CODE = re.compile(r"^\s{2}|[=;{}<>$\\]|^(?:[#%>$] |>>>|--?\w)|\w\([^)]+\)|\w_\w")
_ENDS = re.compile(r"[.!?:;…。！？।][\"”'’»)\]]*$")
_NEWS = re.compile(
    r"\bwhat['’]?s new\b|\bchange ?logs?\b|\brelease (?:notes|history)\b|\brelease [\d.]+\d\b"
    r"|\bversion history\b|\bnew features (?:in|of)\b|\bchanges (?:in|since|between) \D{0,30}\d"
    r"|\b(?:upgrading|migrating) (?:\D{0,30} )?(?:from|to) \D{0,30}\d"
    r"|\bneuerungen\b|\bversionshinweise\b|\bänderungen (?:in|seit) |\bänderungsprotokoll\b"
    r"|\bnouveautés\b|\bnotes de (?:version|publication|lançamento|versão)\b"
    r"|\bjournal des modifications\b|\bnovedades\b|\bnotas de (?:la )?(?:versión|publicación)\b"
    r"|\bregistro de cambios\b|\bnovidades\b|\bnovità\b|\bnote di rilascio\b"
    r"|\bчто нового\b|\bсписок изменений\b|\bhistoria zmian\b|更新日志|更新日誌|发行说明|發行說明"
    r"|変更履歴|リリースノート|릴리스 노트|변경 내역",
    re.IGNORECASE,
)
_NEWS_TITLE = re.compile(
    r"changes|news|releases|history of changes|änderungen|changements|cambios", re.IGNORECASE
)
_NEWS_ADDRESS = re.compile(
    r"whats?[-_]?new|change[-_]?logs?|changes|release[-_]?(?:notes|history|log)s?|relnotes"
    r"|release[-_]\d[\d._-]*|new[-_]features.*|version[-_]history",
    re.IGNORECASE,
)
_NEWS_FILE = re.compile(r"news|history|releases", re.IGNORECASE)
_INDEX_TITLE = re.compile(
    r"(?:(?:general|alphabetical|keyword|subject|full|complete) )?index(?: [–—-] \S{1,8})?"
    r"|(?:table of )?contents|site ?map|(?:stichwort|inhalts)verzeichnis|sommaire"
    r"|table des matières|índice(?: alfabético)?|indice(?: analitico)?|оглавление"
    r"|предметный указатель|索引|目录|目錄|目次|색인",
    re.IGNORECASE,
)
_INDEX_ADDRESS = re.compile(
    r"gen-?index(?:-\w+)?|book-?index|the-?index|(?:keyword|concept|options?|variable)[-_]index"
    r"|\w+-mod-?index|site-?map|toc|404",
    re.IGNORECASE,
)
# Of Sphinx, rustdoc, Doxygen and Javadoc.
_SOURCE_ADDRESS = re.compile(r"/_modules/|/src/.+\.rs\.html\b|_8\w+_source\.html\b|/src-html/")
_PART_OF_TITLE = re.compile(r"\s+[—–|·»-]\s+|: ")
_WANTS_NEWS = re.compile(
    r"\b(?:what(?:['’]?s| is| was| are) new|news|new (?:in|since|features?)|chang(?:ed?|es)|history"
    r"|change ?log|release notes|since|added|introduced|removed|deprecated"
    r"|(?:latest|newest|last|first|initial|recent) (?:versions?|releases?)|released"
    r"|upgrad(?:e|ing)|migrat(?:e|ing)"
    r"|neuerung\w*|geändert|änderung\w*|seit wann|eingeführt|entfernt|hinzugefügt"
    r"|nouveaut\w+|nouvelles? fonction\w*|changé|ajouté|supprimé|depuis (?:quelle|quand)"
    r"|novedad\w*|cambios?|añadi\w+|eliminad\w+|desde (?:qué|cuándo))\b",
    re.IGNORECASE,
)


class Demotion:
    """Of the candidates of one query: what is left of the score of each."""

    def __init__(self, query: Query, passages: Sequence[IndexedPassage]) -> None:
        self._language = primary_language(query.language)
        spoken = {primary_language(x.language) for x in passages}
        self._is_spoken = self._language in spoken
        self._wants_news = bool(_WANTS_NEWS.search(query.text))
        self._wanted = named(query.text)
        self._newest = Newest((x.url, x.title) for x in passages)

    def of(self, passage: IndexedPassage) -> float:
        """1 for a passage that stands for itself, less for the others."""
        factor = 1.0
        if navigates(passage.text) or is_index(passage):
            factor *= NAVIGATION
        if is_source_code(passage):
            factor *= SOURCE_CODE
        if self._is_foreign(passage):
            factor *= FOREIGN
        versions = _versions_of(passage) if self._wanted else set()
        if self._are_wanted(versions):
            return factor
        if is_news(passage) and (versions or not self._wants_news):
            factor *= NEWS
        if passage.outdated or self._newest.is_older(passage.url, passage.title):
            factor *= OUTDATED
        return factor

    def _is_foreign(self, passage: IndexedPassage) -> bool:
        """True if a passage is in another language than the question, and others are not."""
        own = primary_language(passage.language)
        return self._is_spoken and own not in ("", self._language)

    def _are_wanted(self, versions: Iterable[Version]) -> bool:
        """True if the question names one of them, or what it is part of: 15 for 15.2."""
        return any(x[: len(wanted)] == wanted for wanted in self._wanted for x in versions)


def _versions_of(passage: IndexedPassage) -> set[Version]:
    """The versions that a page is about, not those that all pages of its site name."""
    versions = {x for line in (passage.title, *passage.headings) for x in named(_subject(line))}
    address = version_of_address(passage.url)
    return versions | {address[1]} if address else versions


def _subject(title: str) -> str:
    """A title without the name of its site."""
    return _PART_OF_TITLE.split(title)[0].strip()


def is_news(passage: IndexedPassage) -> bool:
    """True if a page, or the section of it, lists what a version changed."""
    above = (passage.title, *passage.headings)
    return any(map(_is_news_title, above)) or _is_news_address(passage.url)


@lru_cache(maxsize=10_000)
def _is_news_title(title: str) -> bool:
    if _NEWS.search(title):
        return True
    return any(_NEWS_TITLE.fullmatch(part) for part in _PART_OF_TITLE.split(title))


@lru_cache(maxsize=10_000)
def _is_news_address(url: str | None) -> bool:
    *folders, file = _names_in(url)
    if any(map(_NEWS_ADDRESS.fullmatch, (*folders, file))):
        return True
    return bool(_NEWS_FILE.fullmatch(file))


def is_index(passage: IndexedPassage) -> bool:
    """True if a page only lists where things stand."""
    return _is_index_title(passage.title) or _is_index_address(passage.url)


@lru_cache(maxsize=10_000)
def _is_index_title(title: str) -> bool:
    return bool(_INDEX_TITLE.fullmatch(_subject(title)))


@lru_cache(maxsize=10_000)
def _is_index_address(url: str | None) -> bool:
    return bool(_INDEX_ADDRESS.fullmatch(_names_in(url)[-1]))


def is_source_code(passage: IndexedPassage) -> bool:
    """True if a page lists source code, by the address that generators of manuals give it."""
    return bool(_SOURCE_ADDRESS.search(passage.url or ""))


def _names_in(url: str | None) -> list[str]:
    """The folders of an address and its file without what follows the first point."""
    path = unquote(urlsplit(url or "").path).rstrip("/")
    *folders, file = path.split("/")
    return [*folders, re.sub(r"\.(?:html?|md|rst|txt|php|xhtml)$", "", file)]


def navigates(text: str) -> bool:
    """True if a text is many short lines, of which hardly any ends as sentences do.

    Code is none, nor is text whose lines end where a page was full.
    """
    lines = [line for line in text.split("\n") if line]
    if len(lines) < _FEW_LINES or median(map(len, lines)) > _SHORT_LINE:
        return False
    ended = sum(bool(_ENDS.search(line)) or " | " in line for line in lines)
    coded = sum(bool(_CODE.search(line)) for line in lines)
    return ended < _SENTENCES * len(lines) and coded < _LISTING * len(lines)
