"""Numbers as texts state them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Final

_NUMBER: Final = re.compile(
    r"(?<![\w.,])(?P<minus>[-−])?"
    r"(?P<figures>\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*)"
    r"(?:[ \u00a0\u202f]?(?P<scale>thousand|million|billion|[kK](?!\w)))?(?![\d])"
)
_SCALES: Final = {"thousand": 10**3, "k": 10**3, "million": 10**6, "billion": 10**9}
_CURRENCY: Final = re.compile(r"[$€£¥₹]|\b(?:USD|EUR|GBP|JPY|CHF|INR)\b")
_LONGEST: Final = 30
_MOST: Final = 5_000
_GROUP: Final = 3


@dataclass(frozen=True, slots=True)
class StatedNumber:
    """A number and the slice that states it; `readings`: what it may mean, the likeliest first."""

    readings: tuple[Decimal, ...]
    start: int
    end: int


def numbers(text: str, start: int = 0, end: int | None = None) -> Iterator[StatedNumber]:
    limit = len(text) if end is None else end
    for match in islice(_NUMBER.finditer(text, start, limit), _MOST):
        if len(match[0]) <= _LONGEST:
            yield StatedNumber(_readings(match), *match.span())


def priced(text: str, number: StatedNumber) -> bool:
    """True if a currency touches the number."""
    around = text[max(0, number.start - 4) : number.end + 4]
    return _CURRENCY.search(around) is not None


def _readings(match: re.Match[str]) -> tuple[Decimal, ...]:
    values = [Decimal(form) for form in _forms(re.sub(r"[ \u00a0\u202f']", "", match["figures"]))]
    if match["minus"]:
        values = [-value for value in values]
    if match["scale"]:
        scale = _SCALES[match["scale"].lower()]
        values = [value * scale for value in values] + values
    return tuple(dict.fromkeys(values))


def _forms(figures: str) -> Iterator[str]:
    """Yields what the figures may mean: a lone sign before three digits is unclear."""
    points, commas = figures.count("."), figures.count(",")
    if points and commas:
        last = max(figures.rfind("."), figures.rfind(","))
        yield re.sub("[.,]", "", figures[:last]) + "." + figures[last + 1 :]
    elif points + commas > 1:
        yield re.sub("[.,]", "", figures)
    elif points or commas:
        whole, part = re.split("[.,]", figures)
        grouped = len(part) == _GROUP and whole != "0" and len(whole) <= _GROUP
        if grouped and commas:
            yield whole + part
        yield f"{whole}.{part}"
        if grouped and points:
            yield whole + part
    else:
        yield figures
