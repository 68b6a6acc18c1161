"""Lines as they are compared: without what time alone changes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date

_MASK = "~"
_FOLDED = str.maketrans(
    dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("‐‑‒–—−", "-")
    | dict.fromkeys("\u00ad\u200b\u200e\u200f\ufeff", "")
)  # fmt: skip
_UNITS = (
    r"(?:second|sec|minute|min|hour|hr|day|week|month|year"
    r"|sekunde|stunde|tag|woche|monat|jahr|seconde|heure|jour|semaine|moi|an"
    r"|segundo|minuto|hora|día|mes|año|secondo|secondi|minuti|ora|ore|giorno|giorni|settimana"
    r"|settimane|mese|mesi|anno|anni|dia|mês|mese|ano|uur|minuut|minuten|dag|dagen|weken|maand)"
    r"(?:s|n|en|es)?"
)
_COUNTED = (
    r"(?:view|like|share|comment|reply|replie|vote|upvote|download|follower|subscriber|visitor"
    r"|viewer|watcher|person viewing|people viewing|aufruf|kommentar|besucher|vue|commentaire"
    r"|visita|visite|comentario|visualizzazioni|commenti|weergave|reactie)(?:s|e|n|en|es)?"
)
_COUNT = r"\d{1,9}"  # a line may be one long number
_NUMBER = r"\d(?:[\d.,']{0,20}\d)?\s?[kKmM]?"
_RELATIVE = re.compile(
    rf"\b(?:{_COUNT}|an?|one|(?:a )?few) {_UNITS} ago\b"
    rf"|\b(?:vor|hace|il y a|há) (?:{_COUNT}|einer|einem|une?|uma?|una) {_UNITS}\b"
    rf"|\b{_COUNT} {_UNITS} (?:fa|geleden|atrás)\b"
    rf"|\b{_COUNT} ?(?:s|m|h|d|w|mo|y) ago\b"
    rf"|{_COUNT} ?(?:秒|分|分钟|分間|小时|時間|天|日|周|週間|か月|个月|年) ?前"
    rf"|{_COUNT} \w{{1,8}} назад\b"
    r"|\b(?:just now|yesterday|today|gerade eben|gestern|heute|aujourd'hui|ayer|hoy|ieri|oggi)\b"
    rf"|\b{_NUMBER} {_COUNTED}(?: online| today| now)?\b"
    rf"|\b{_COUNTED}(?: online| today| now)?: ?{_NUMBER}\b"
    rf"|\b{_NUMBER} online\b|\bonline(?: now)?: ?{_NUMBER}\b"
    rf"|\b(?:in|took) {_COUNT}(?:\.\d{{1,20}})? ?(?:ms|s|sec|seconds?|milliseconds?)\b",
    re.IGNORECASE,
)


def folded(text: str) -> str:
    """`text` with one spelling of quotes, dashes, widths and white space; case stays."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_FOLDED).split())


def timeless(text: str) -> str:
    """`text` folded, without relative times ("3 hours ago") and counters ("1,204 views")."""
    return _RELATIVE.sub(_MASK, folded(text))


def dayless(text: str, day: date, language: str | None) -> str:
    """`text` without `day`, as people of the page's language write it; and without those beside it,
    which it is elsewhere on Earth.
    """
    for beside in (-1, 0, 1):
        text = _written(day + timedelta(days=beside), language).sub(_MASK, text)
    return text


@lru_cache(maxsize=64)
def _written(day: date, language: str | None) -> re.Pattern[str]:
    forms = [day.isoformat()]
    for locale in _locales(language):
        forms += _in_words(day, locale)
        forms += [re.escape(folded(format_date(day, width, locale))) for width in ("full", "short")]
    forms += [
        rf"0?{day.day}[./]0?{day.month}[./]{day.year}",
        rf"0?{day.month}/0?{day.day}/{day.year}",
    ]
    return re.compile(rf"(?<!\d)(?:{'|'.join(dict.fromkeys(forms))})(?!\d)", re.IGNORECASE)


def _in_words(day: date, locale: Locale) -> tuple[str, str]:
    """ "Sunday, 5 March 2026" and "March 5th, 2026", with what languages put between."""
    month = _either(locale.months["format"][width][day.month] for width in ("wide", "abbreviated"))
    weekday = _either(locale.days["format"][w][day.weekday()] for w in ("wide", "abbreviated"))
    number = rf"0?{day.day}(?:st|nd|rd|th|er|º|\.)?"
    before = rf"(?:{weekday}\.?,? )?"
    return (
        rf"{before}{number} (?:de |of )?{month}\.?,? (?:de )?{day.year}",
        rf"{before}{month}\.? {number},? {day.year}",
    )


def _either(names: Iterable[str]) -> str:
    return f"(?:{'|'.join(re.escape(name.rstrip('.')) for name in names)})"


def _locales(language: str | None) -> Iterator[Locale]:
    for name in (language, "en"):
        try:
            yield Locale.parse(name or "en", sep="_")
        except (ValueError, UnknownLocaleError):
            continue
