"""People: lines that begin with "by", and names without such words."""

import re

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set
from app.engine.text.dates import dates

_LINE_PRIOR = 0.55
_LONGEST_NAME = 60
_LONGEST_BYLINE = 120
_MOST = 10
_BY = re.compile(
    r"(?:(?:(?:written|posted|published|created|submitted|shared|added|recipe|article|text|photos?|"
    r"verfasst|geschrieben|escrito|scritto|écrit|publié|publicado)\s+){0,3}"
    r"(?:by|von|par|por|door|av|af|di|autor|author|auteur)\b[ :]*)+(?=\w)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:https?:)?//|www\.|[/#]\S*$", re.IGNORECASE)
_AFTER = re.compile(r"\s*[|•·»]")
_DIGIT = re.compile(r"\d")
_WEEKDAYS = name_set(
    "mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday "
    "sunday mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonntag lundi "
    "mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado"
)


def named(page: OneText) -> list[FieldCandidate]:
    """Lines that say by whom the page is."""
    candidates: list[FieldCandidate] = []
    for element, (start, end) in page.places.items():
        if end - start <= _LONGEST_NAME and (match := _BY.match(page.text, start, end)):
            leaf = Leaf(match.end(), end, None, element)
            if page.text[match.end()].isupper() and len(element) <= 2:
                candidates.append(of_page("author", (leaf,), "text", _LINE_PRIOR))
    return candidates[:_MOST]


def is_name(quote: str) -> bool:
    """True if a slice may name somebody, and is neither the address of a page about them nor when
    they wrote it."""
    return not _ADDRESS.match(quote) and _day_in(quote) != 0


def without_preposition(page: OneText, leaf: Leaf) -> Leaf:
    """A slice without the "by" before a name and the day, or what a mark parts, after it; what
    begins with a day is left whole."""
    start, end = leaf.start, leaf.end
    if match := _BY.match(page.text, start, end):
        start = match.end()
    if "\n" not in page.text[start:end] and (match := _AFTER.search(page.text, start + 1, end)):
        end = match.start()
    if (day := _day_in(page.text[start:end])) is not None:
        end = start + day or end
        start, end = trimmed(page, start, end)
    return leaf._replace(start=start, end=end) if start < end else leaf


def _day_in(text: str) -> int | None:
    """The place at which a slice begins to say a day of a year."""
    if len(text) > _LONGEST_BYLINE or not _DIGIT.search(text):
        return None
    day = min((each.start for each in dates(text) if each.days[0].year), default=None)
    return 0 if day and text[:day].strip(" ,.").casefold() in _WEEKDAYS else day
