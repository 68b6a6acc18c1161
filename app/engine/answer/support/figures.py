"""Numbers and dates of a text, as values that can be compared across spellings and languages."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from app.engine.text import numbers as text_numbers
from app.engine.text.dates import Date, Day, apart
from app.engine.text.scripts import WORD, primary_language
from app.engine.text.units import MONEY, symbol


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit; an identifier with digits in it (`3.11.2`, `x86`) as its letters.

    `value` is in ones ("1.5 million" is 1500000), `written` the digits as they stand, `at` where.
    """

    value: Decimal | str
    unit: str | None
    written: str
    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Figures:
    numbers: tuple[Figure, ...]
    dates: tuple[Date, ...]


_GROUP_SPACE = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_RAISED = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹]+")  # NFKC would make 105 of 10⁵
_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_CHUNK = re.compile(
    rf"(?P<sign>(?<![{WORD}.,)\]}}%])[-−])?(?P<currency>[$€£¥])?"
    rf"(?P<body>[{WORD}]*\d[{WORD}]*(?:[.,:'’_][{WORD}]+)*)"
)
_NUMBER = re.compile(rf"(?P<digits>{text_numbers.DIGITS})(?P<tail>\D*)")
_TAIL = re.compile(r"(?:[  -]|(?=[%°€$£¥]))*(?P<word>per cent\b|[%‰°€$£¥][CF]?|[^\W\d]+)")
_LINK = re.compile(r"\s*(?:-|–|—|,|to|and|or|bis|und|oder|à|et|ou|a|y|o|e|ja)?\s*", re.IGNORECASE)


def figures(text: str, language: str | None) -> Figures:
    """Read a text. Digits of any script count; `language` settles commas and spelled numbers."""
    code = primary_language(language)
    spaced = _RAISED.sub(r"^\g<0>", _FRACTION.sub(" ", _GROUP_SPACE.sub("", text)))
    dates, plain = apart(unicodedata.normalize("NFKC", spaced), code)
    numbers = sorted([*_written(plain, code), *_spelled(plain, code)], key=lambda x: x.at)
    return Figures(tuple(_share_units(numbers, plain)), tuple(dates))


def unborne(claimed: Figures, quoted: Figures) -> bool:
    """True if a claim has a number or a date that what is quoted does not have."""
    days = [day for date in quoted.dates for day in date.days]
    parts = [part for day in days for part in (day.year, day.day) if part is not None]
    known = [*quoted.numbers, *(Figure(Decimal(part), None, str(part), 0, 0) for part in parts)]
    if not all(any(_same(number, other) for other in known) for number in claimed.numbers):
        return True
    return not all(
        any(_fits(day, other, known) for day in date.days for other in days)
        for date in claimed.dates
    )


def _written(text: str, code: str) -> Iterator[Figure]:
    for chunk in _CHUNK.finditer(text):
        body = chunk["body"].rstrip("_")
        number = _NUMBER.fullmatch(body)
        value = text_numbers.value(number["digits"], code) if number else None
        if number is None or value is None or not _may_follow(number["digits"], number["tail"]):
            yield Figure(body.casefold(), None, body, chunk.start(), chunk.end())
            continue
        glued = [number["tail"]] if number["tail"] else []
        value, unit = _counted(value, [*glued, *_tails(text, chunk.end())], code)
        value = -value if chunk["sign"] else value
        unit = unit or symbol(chunk["currency"] or "")
        yield Figure(value, unit, number["digits"], chunk.start(), chunk.end())


def _may_follow(digits: str, tail: str) -> bool:
    """True if what is glued to digits is a unit: `5GB`, but neither `x86` nor `1990s`."""
    if not tail or text_numbers.power(tail) is not None:
        return True
    return symbol(tail) is not None and not (tail == "s" and len(digits) == 4)


def _tails(text: str, end: int) -> Iterator[str]:
    """The next words: of "1.5 million euros" both, of "5 per cent" one."""
    for _ in range(2):
        tail = _TAIL.match(text, end)
        if tail is None:
            return
        yield tail["word"].replace(" ", "-")
        end = tail.end()


def _counted(value: Decimal, words: Iterable[str], code: str) -> tuple[Decimal, str | None]:
    """The value in ones and its unit, by the words that follow it, up to one that is neither."""
    unit: str | None = None
    for word in words:
        scale, counted = text_numbers.power(word, code), symbol(word)
        if scale is not None:
            value = value.scaleb(scale)
        elif counted is not None:
            unit = counted or unit
        else:
            break
    return value, unit


def _spelled(text: str, code: str) -> Iterator[Figure]:
    for number in text_numbers.in_words(text, code):
        value, unit = _counted(number.decimals[0], _tails(text, number.end), code)
        yield Figure(value, unit, number.written.casefold(), number.start, number.end)


def _share_units(numbers: Sequence[Figure], text: str) -> list[Figure]:
    """In "250 to 480 grams" both are grams."""
    shared = list(numbers)
    for i in range(len(shared) - 2, -1, -1):
        this, following = shared[i], shared[i + 1]
        linked = _LINK.fullmatch(text, this.end, following.at)
        if this.unit is None and linked and not isinstance(this.value, str):
            shared[i] = replace(this, unit=following.unit)
    return shared


def _same(claimed: Figure, quoted: Figure) -> bool:
    alike = claimed.value == quoted.value or (
        claimed.written == quoted.written and isinstance(claimed.value, str)
    )
    if not alike:
        return False
    if claimed.unit == quoted.unit or quoted.unit is None:
        return claimed.unit not in {"%", *MONEY} or quoted.unit == claimed.unit
    return claimed.unit is None and quoted.unit != "%"


def _fits(claimed: Day, quoted: Day, numbers: Sequence[Figure]) -> bool:
    """Same month; a day and a year that are claimed stand there, the year perhaps elsewhere."""
    if claimed.month != quoted.month or claimed.day not in (None, quoted.day):
        return False
    if claimed.year in (None, quoted.year):
        return True
    return quoted.year is None and any(number.value == claimed.year for number in numbers)
