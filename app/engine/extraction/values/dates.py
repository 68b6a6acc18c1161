"""Dates as a page states them, with the precision in which it does."""

import re
from dataclasses import replace
from typing import Final

from app.engine.extraction.values.amounts import UP_TO
from app.engine.extraction.values.typed import Context
from app.engine.text.dates import Moment, iso, moments
from app.engine.text.scripts import primary_language

MAX_CHARACTERS: Final = 100
# Where English writes the day first. `en-US` and a bare `en` are what templates come with.
_DAY_FIRST_REGIONS: Final = frozenset({"gb", "au", "nz", "ie", "in", "za"})
_DAY_FIRST_LANGUAGES: Final = frozenset(
    {"bg", "ca", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "id", "it", "lv", "nb"}
    | {"nl", "nn", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "tr", "uk", "vi", "ar", "he"}
)
_MONTH: Final = r"[^\W\d_]{3,10}\.?"
_DAY: Final = r"(?<![\d.:/-])\d{1,2}(?:st|nd|rd|th|er)?\.?"
# Of which the first day has no year: 1 May - 3 June 2024, 1.-3. Juni 2024, May 1 to June 3, 2024.
_FIRST: Final = (
    rf"(?:{_DAY}(?:\s?{_MONTH}|\d{{1,2}}\.)?|{_MONTH}\s\d{{1,2}})"
    rf"(?:{UP_TO}|\s(?:and|und|et|y|e|&)\s)(?:[^\W\d_]{{2,10}}\.?,?\s)?"
)
_RANGE: Final = re.compile(
    rf"{_FIRST}(?:\d{{1,2}}(?:st|nd|rd|th|er)?\.?(?:\s?{_MONTH}|\d)|{_MONTH}\s\d{{1,2}}\b)",
    re.IGNORECASE,
)
_BEGUN: Final = re.compile(rf"{_FIRST}$", re.IGNORECASE)
_LONGEST_FIRST: Final = 40


def moment(text: str, context: Context) -> Moment | None:
    """The date that a slice states; None when it states none, or only part of one."""
    text = text.strip()
    if len(text) > MAX_CHARACTERS or not any(x.isdigit() for x in text):
        return None
    if whole := iso(text):
        return whole
    day_first = _is_day_first(context)
    found = list(dict.fromkeys(moments(text, context.language, day_first=day_first)))
    if not found:
        return None
    several = len(found) > 1 or bool(_RANGE.search(text))
    return replace(found[0], ambiguous=found[0].ambiguous or several)


def ends_range(text: str, start: int) -> bool:
    """True if a day before the one that begins there has its year from it: 3 May - 4 June 2024."""
    return bool(_BEGUN.search(text, max(0, start - _LONGEST_FIRST), start))


def _is_day_first(context: Context) -> bool:
    language = (context.language or "").lower().replace("_", "-")
    if language.startswith("en-") and language[3:] in _DAY_FIRST_REGIONS:
        return True
    return primary_language(language) in _DAY_FIRST_LANGUAGES
