"""The figures and dates a sentence states, in a form in which two sentences can be compared."""

import re
from dataclasses import dataclass
from decimal import Decimal

from app.engine.text.stopwords import FUNCTION_WORDS

_YEAR = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d\d)(?![\d]|[.,]\d)")
_NUMBER = re.compile(r"(?<![\w.,-])(?P<sign>[$€£¥] ?)?(?P<digits>\d+(?:[.,]\d+)*)")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_UNIT = re.compile(r"[ -]?(?P<unit>%|[^\W\d_]+)")
_SCALES = {
    "hundred": 2, "thousand": 3, "million": 6, "millions": 6, "billion": 9, "trillion": 12,
    "tausend": 3, "millionen": 6, "mio": 6, "milliarde": 9, "milliarden": 9, "mrd": 9, "mille": 3,
    "milliard": 9, "milliards": 9, "mil": 3, "millón": 6, "millones": 6, "milhões": 6, "milhão": 6,
    "milioni": 6, "milione": 6, "miliardi": 9, "miljoen": 6, "miljard": 9,
}  # fmt: skip
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9,
    "zehn": 10, "elf": 11, "zwölf": 12, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50,
}  # fmt: skip
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_MONTHS = {
    **dict.fromkeys(("jan", "ene", "gen"), 1), **dict.fromkeys(("feb", "fév"), 2),
    **dict.fromkeys(("mar", "mär"), 3), **dict.fromkeys(("apr", "avr", "abr"), 4),
    **dict.fromkeys(("may", "mai", "mag"), 5), "jun": 6, "giu": 6, "jui": 0, "jul": 7, "lug": 7,
    **dict.fromkeys(("aug", "aoû", "ago"), 8), **dict.fromkeys(("sep", "set"), 9),
    **dict.fromkeys(("oct", "okt", "ott", "out"), 10), "nov": 11,
    **dict.fromkeys(("dec", "dez", "déc", "dic"), 12),
}  # fmt: skip
_MONTH = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|"
    r"août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"septiembre|octubre|noviembre|diciembre)\b",
    re.IGNORECASE,
)
_ROUNDING = Decimal("0.1")  # rounding moves a number by less
_DAY_BESIDE = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?(?: de| of)? $")
_DAY_BEHIND = re.compile(r" (\d{1,2})(?:st|nd|rd|th)?(?!\d)")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with what it counts (a word, `%` or a currency sign; empty when nothing is said)."""

    shown: str
    value: Decimal
    digits: int  # significant ones, as written
    unit: str
    start: int

    def contradicts(self, other: "Figure") -> bool:
        """Whether both count the same in different numbers; a rounded number is no other one."""
        if self.unit != other.unit:
            return False
        if abs(self.value - other.value) > _ROUNDING * max(self.value, other.value):
            return True
        digits = min(self.digits, other.digits)
        return _rounded(self.value, digits) != _rounded(other.value, digits)


@dataclass(frozen=True, slots=True)
class Date:
    """A year, with month and day where they stand beside it."""

    shown: str
    year: int
    month: int | None
    day: int | None
    start: int

    def contradicts(self, other: "Date") -> bool:
        """Whether the two differ in something that both say."""
        if self.year != other.year:
            return True
        if None in (self.month, other.month) or self.month != other.month:
            return None not in (self.month, other.month)
        return None not in (self.day, other.day) and self.day != other.day


def years(sentence: str) -> frozenset[str]:
    """What reads as a year from 1000 to 2099."""
    return frozenset(_YEAR.findall(sentence))


def dates(sentence: str) -> list[Date]:
    """Each year of a sentence; when there is one year and one month, that month with its day."""
    found = [Date(x[0], int(x[0]), None, None, x.start()) for x in _YEAR.finditer(sentence)]
    months = list(_MONTH.finditer(sentence))
    if len(found) != 1 or len(months) != 1:
        return found
    (date,), (month,) = found, months
    beside = _DAY_BESIDE.search(sentence, 0, month.start())
    behind = _DAY_BEHIND.match(sentence, month.end())
    day = beside or behind
    start = min(date.start, month.start(), day.start(1) if day else date.start)
    end = max(date.start + len(date.shown), month.end())
    number = _MONTHS.get(month[0].casefold()[:3]) or None
    return [Date(sentence[start:end], date.year, number, int(day[1]) if day else None, start)]


def figures(sentence: str) -> list[Figure]:
    """The numbers of a sentence but those that read as years, in order."""
    found = [
        _figure(sentence, x)
        for x in _NUMBER.finditer(sentence)
        if not _YEAR.fullmatch(x[0].strip())
    ]
    for word in _NUMBER_WORD.finditer(sentence):
        unit, end = _unit(sentence, word.end())
        value = Decimal(_WORDS[word[0].casefold()])
        found.append(Figure(sentence[word.start() : end], value, 2, unit, word.start()))
    return sorted(found, key=lambda x: x.start)


def _figure(sentence: str, match: re.Match[str]) -> Figure:
    plain, end = _plain(match["digits"]), match.end("digits")
    value, digits = Decimal(plain), _significant(plain)
    unit, unit_end = _unit(sentence, end)
    scale = _SCALES.get(unit)
    if scale is not None:
        value, end = value * Decimal(10) ** scale, unit_end
        unit, unit_end = _unit(sentence, end)
    sign = (match["sign"] or "").strip()
    shown = sentence[match.start() : end if sign or not unit else unit_end]
    return Figure(shown, value, digits, sign or unit, match.start())


def _plain(digits: str) -> str:
    """The digits with a point before the decimals and without groups."""
    signs = digits.count(",") + digits.count(".")
    if _GROUPED.fullmatch(digits) or signs > 1:
        return re.sub(r"[.,]", "", digits)
    return digits.replace(",", ".")


def _significant(plain: str) -> int:
    """Digits as precise as the number was written: one in 300 and 0.3, three in 3.00."""
    digits = plain.replace(".", "").lstrip("0")
    return max(1, len(digits if "." in plain else digits.rstrip("0")))


def _unit(sentence: str, position: int) -> tuple[str, int]:
    """What is counted: `%` or the next word, unless that is a function word; and where it ends."""
    found = _UNIT.match(sentence, position)
    if found is None:
        return "", position
    unit = found["unit"].casefold()
    return ("", position) if unit in FUNCTION_WORDS else (unit, found.end())


def _rounded(value: Decimal, digits: int) -> Decimal:
    """`value` to so many significant digits."""
    return Decimal(f"{value:.{digits - 1}e}")
