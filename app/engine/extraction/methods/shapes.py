"""Values that are known by their form alone: dates, prices, phone numbers, addresses, patterns."""

import re
from collections.abc import Iterator
from itertools import islice

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.schema.patterns import compiled
from app.engine.extraction.schema.schema import Field, Plan
from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf

_PRIOR = 0.42
_PATTERN_PRIOR = 0.5
_LATER_WEIGHT = 0.93  # of each further one
_MOST = 6
_LONGEST_AROUND = 120
_MOST_TEXT = 200_000
_MONTH = (
    r"(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|okt|oct|nov|dec|dez|déc|fév|avr|ene|abr|ago|dic|gen"
    r"|mag|giu|lug|set|ott)[a-zéûäç]{0,7}\.?"
)
_DATE = re.compile(
    rf"\b(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:de )?{_MONTH}"
    r"(?: de)?,? \d{4})\b",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"(?:(?:US|CA|AU)?\$|£|€|¥|₹|CHF|USD|EUR|GBP) ?\d[\d.,]{0,12}\d|(?:£|€|\$) ?\d\b"
    r"|\d[\d.,]{0,12} ?(?:€|£|kr\b|zł|Kč|EUR|USD|CHF|Ft\b)"
)
_PHONE = re.compile(
    r"(?<![\w.-])(?:\+\d{1,3}[ .-]?)?\(?\d{2,4}\)?[ ./-]{1,2}\d{3,4}[ .-]?\d{3,5}(?![\w-])"
)
_EMAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b")
_SITE = re.compile(r"\b(?:https?://|www\.)[^\s<>\"]{3,200}[^\s<>\".,;)]", re.IGNORECASE)
_COUNT = re.compile(
    r"\b\d[\d.,]*(?= ?(?:(?:user|customer|global) )?(?:ratings?|reviews?|votes?|avis|opiniones|"
    r"recensioni|bewertungen|beoordelingen|röster|stemmer|stemmen|hodnocení|ocen|valoraciones|"
    r"avaliações|értékelés)\b)",
    re.IGNORECASE,
)
_FORMS = (
    (words("published") | words("modified") | words("date"), _DATE, "date"),
    (words("price"), _PRICE, "price"),
    (words("phone"), _PHONE, "phone"),
    (words("email"), _EMAIL, "email"),
    (words("website"), _SITE, "site"),
    (words("rating count"), _COUNT, "count"),
)


def shaped(page: OneText, plan: Plan) -> list[tuple[Field, FieldCandidate]]:
    """What in the visible text has the form of a field's values, for that field."""
    return [
        (field, candidate)
        for field in plan.every()
        for pattern, name, prior in _patterns(field)
        for candidate in _matches(page, pattern, name, prior)
    ]


def inner(text: str, leaf: Leaf, field: Field) -> Leaf | None:
    """The one value of a field's form in a slice that holds more than it."""
    for known, pattern, _ in _FORMS:
        if not known.isdisjoint(field.words) and leaf.end - leaf.start <= _LONGEST_AROUND:
            matches = [*islice(pattern.finditer(text, leaf.start, leaf.end), 2)]
            if len(matches) == 1 and matches[0].span() != (leaf.start, leaf.end):
                return leaf._replace(start=matches[0].start(), end=matches[0].end())
    return None


def _patterns(field: Field) -> Iterator[tuple[re.Pattern[str], str, float]]:
    if field.type not in ("string", "number", "integer"):
        return
    if field.pattern:
        yield compiled(field.pattern), "pattern", _PATTERN_PRIOR
        return
    for known, pattern, name in _FORMS:
        if not known.isdisjoint(field.words) or (field.format or "").startswith(name):
            yield pattern, name, _PRIOR


def _matches(
    page: OneText, pattern: re.Pattern[str], name: str, prior: float
) -> Iterator[FieldCandidate]:
    count = 0
    for match in pattern.finditer(page.text[: min(page.visible_end, _MOST_TEXT)]):
        start, end = match.span()
        if start < end:
            leaf = Leaf(start, end, None, page.holder(start, end))
            yield of_page(f"({name})", (leaf,), "text", prior * _LATER_WEIGHT**count)
            count += 1
        if count >= _MOST:
            return
