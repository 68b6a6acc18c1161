"""Values that are known by their form alone: dates, prices, phone numbers, addresses, patterns."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.schema.patterns import compiled
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf
from app.engine.text.dates import Date, dates, with_clock

_PRIOR = 0.42
_PATTERN_PRIOR = 0.5
_LATER_WEIGHT = 0.93  # of each further one
_LEAST_MATCH = 3
_MOST = 6
_LONGEST_AROUND = 120
_LONGEST_LINE = 60
_MOST_TEXT = 200_000
_PRICE = re.compile(
    r"(?:(?:US|CA|AU)?\$|£|€|¥|₹|CHF|USD|EUR|GBP) ?\d[\d.,]{0,12}\d|(?:£|€|\$) ?\d\b"
    r"|\d[\d.,]{0,12} ?(?:€|£|kr\b|zł|Kč|EUR|USD|CHF|Ft\b)"
)
_PHONE = re.compile(
    r"(?:(?<![\w.+-])|(?=\+))(?P<plus>\+\d{1,3}[ .-]?(?:\(0\) ?)?)?"
    r"\(?\d{2,4}\)?[ ./-]{1,2}(?:\d{3,4}[ .-]?\d{3,5}|(?(plus)\d{5}|(?!)))(?![\w-]| \d)"
)
_EMAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b")
_SITE = re.compile(r"\b(?:https?://|www\.)[^\s<>\"]{3,200}[^\s<>\".,;)]", re.IGNORECASE)
_VOTES = (
    r" ?(?:(?:user|customer|global) )?(?:ratings?|reviews?|votes?|avis|opiniones|recensioni|"
    r"bewertungen|beoordelingen|röster|stemmer|stemmen|hodnocení|ocen|valoraciones|"
    r"avaliações|értékelés)\b"
)
_NUMBER = r"\d[\d.,]{0,14}"
_COUNT = re.compile(rf"\b{_NUMBER}(?={_VOTES})", re.IGNORECASE)
_BEST = r"(?: ?/ ?| (?:out of|of|von|sur|su|de) )(?:5|10)\b"
_RATING = re.compile(
    r"(?<![\d.,/])(?<!/ )(?<! (?:of|su|de) )(?<! (?:von|sur) )"  # 5 of "4 of 5"
    r"(?:\d(?:[.,]\d{1,2})?(?= (?:out of|von|sur|su|de) (?:5|10)\b)"
    rf"|\d[.,]\d{{1,2}}(?={_BEST}| \(\d| from \d)"
    rf"|\d(?:[.,]\d{{1,2}})?(?=(?:{_BEST})?[^\d\n]{{1,12}}{_NUMBER}{_VOTES}))",
    re.IGNORECASE,
)
_RATED = re.compile(rf"(?<=\d \(){_NUMBER}(?=\))")  # 437 of "3.0 (437)"
_DURATION = re.compile(
    r"\b\d{1,3} ?(?:h(?:ours?|rs?)?|std\.?|stunden?|horas?|heures?|ore|uur)\b"
    r"(?:,? ?(?:and |und |et |y |e )?\d{1,2} ?(?:m|min(?:ut\w{1,3}|s)?)\b)?"
    r"|\b\d{1,3} ?min(?:ut\w{1,3}|s)?\b",
    re.IGNORECASE,
)

_NOT_IN_PROSE = frozenset({"duration", "price"})  # of which a sentence speaks, whatever it is about

Span = tuple[int, int]
Search = Callable[[str], Iterator[Span]]


def _each(pattern: re.Pattern[str]) -> Search:
    return lambda text: (match.span() for match in pattern.finditer(text))


def _days(text: str) -> Iterator[Span]:
    return ((date.start, date.end) for date in _dated(text))


def _times(text: str) -> Iterator[Span]:
    """Days with the time that stands behind them."""
    return ((date.start, with_clock(text, date)) for date in _dated(text))


def _dated(text: str) -> Iterator[Date]:
    found = ((date, date.days[0]) for date in dates(text))
    return (date for date, day in found if day.year and day.day)


def _in_prose(text: str, start: int, end: int) -> bool:
    """True if a slice stands in a line longer than a label with its value."""
    before = text[max(0, start - _LONGEST_LINE - 1) : start].rpartition("\n")[2]
    onwards = text[start : end + _LONGEST_LINE + 1].partition("\n")[0]
    return len(before) + len(onwards) > _LONGEST_LINE


_FORMS: Final = (
    (words("published") | words("modified") | words("date"), _days, "date"),
    (words("price"), _each(_PRICE), "price"),
    (words("currency"), _each(_PRICE), "price"),
    (words("phone"), _each(_PHONE), "phone"),
    (words("email"), _each(_EMAIL), "email"),
    (words("website"), _each(_SITE), "site"),
    (words("rating count"), _each(_COUNT), "count"),
    (words("rating count"), _each(_RATED), "count in brackets"),
    (words("rating"), _each(_RATING), "rating"),
    (words("total time"), _each(_DURATION), "duration"),
)


def shaped(page: OneText, plan: Plan) -> list[tuple[Field, FieldCandidate]]:
    """Finds what in the visible text has the form of a field's values, for that field."""
    return [
        (field, candidate)
        for field in plan.every()
        for search, name, prior in _searches(field)
        for candidate in _matches(page, search, name, prior)
    ]


def inner(text: str, leaf: Leaf, field: Field) -> Leaf | None:
    """The one value of a field's form in a slice that holds more than it."""
    for known, search, _ in _FORMS:
        if not known.isdisjoint(field.words) and leaf.end - leaf.start <= _LONGEST_AROUND:
            spans = [*islice(_search(search, field)(text[leaf.start : leaf.end]), 2)]
            if len(spans) == 1 and spans[0] != (0, leaf.end - leaf.start):
                start, end = spans[0]
                return leaf._replace(start=leaf.start + start, end=leaf.start + end)
    return None


def narrowed(text: str, leaf: Leaf, pattern: str) -> Leaf | None:
    """The part of a slice that a pattern matches, if the pattern does not ask for all of it."""
    match = compiled(pattern).search(text[leaf.start : leaf.end])
    if match is None or match.end() - match.start() < _LEAST_MATCH:
        return None
    return leaf._replace(start=leaf.start + match.start(), end=leaf.start + match.end())


def _searches(field: Field) -> Iterator[tuple[Search, str, float]]:
    if field.type not in ("string", "number", "integer"):
        return
    if field.pattern:
        yield _each(compiled(field.pattern)), "pattern", _PATTERN_PRIOR
        return
    for known, search, name in _FORMS:
        if not known.isdisjoint(field.words) or (field.format or "").startswith(name):
            yield _search(search, field), name, _PRIOR


def _search(search: Search, field: Field) -> Search:
    return _times if search is _days and field.format == "date-time" else search


def _matches(page: OneText, search: Search, name: str, prior: float) -> Iterator[FieldCandidate]:
    count = 0
    for start, end in search(page.text[: min(page.visible_end, _MOST_TEXT)]):
        if start < end and not (name in _NOT_IN_PROSE and _in_prose(page.text, start, end)):
            leaf = Leaf(start, end, None, page.holder(start, end))
            yield of_page(f"({name})", (leaf,), "text", prior * _LATER_WEIGHT**count)
            count += 1
        if count >= _MOST:
            return
