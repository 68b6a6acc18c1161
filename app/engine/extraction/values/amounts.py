"""Numbers in a slice of a page: where they stand, and the values they may have."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from app.engine.extraction.values.typed import Context
from app.engine.text import numbers

MAX_CHARACTERS: Final = 200
_SPACES = " \u00a0\u2009\u202f"
_FRACTIONS: Final = {
    "½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.333", "⅔": "0.667", "⅛": "0.125", "⅜": "0.375",
    "⅝": "0.625", "⅞": "0.875",
}  # fmt: skip
_NUMBER: Final = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−+])?"
    rf"(?:(?P<spaced>\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?(?![\d.,]\d))|"
    rf"(?P<digits>{numbers.DIGITS})|(?=[{''.join(_FRACTIONS)}]))"
    rf"(?:[{_SPACES}]?(?P<fraction>[{''.join(_FRACTIONS)}]))?"
    r"(?![\d_]|[.,]\d|[eE][+-]?\d)"
)
_LONE: Final = re.compile(r"\d+([.,])\d+")
_SCALE: Final = re.compile(rf"[{_SPACES}]?(?P<word>[^\W\d_]+)")
_NO_SCALE: Final = frozenset({"K"})  # 4K, 300 K


@dataclass(frozen=True, slots=True)
class Amount:
    """text[start:end] without what it counts; `values` are likeliest first, none for `3.11.2`."""

    start: int
    end: int
    values: tuple[Decimal, ...]

    @property
    def decided(self) -> bool:
        return len(self.values) == 1


def amounts(text: str, context: Context) -> list[Amount]:
    """The numbers of a slice in order, with their signs, fractions and words of scale."""
    plain = text[:MAX_CHARACTERS].replace("٫", ".").replace("٬", ",")
    return [_amount(plain, match, context) for match in _NUMBER.finditer(plain)]


def only(text: str, context: Context) -> Amount | None:
    """The number that a slice is as a whole, but for white space."""
    stripped = text.strip()
    found = amounts(stripped, context)
    if len(found) != 1 or (found[0].start, found[0].end) != (0, len(stripped)):
        return None
    return found[0]


def decimal_sign(text: str) -> str | None:
    """The sign before the decimals, where the number leaves no doubt: `1.234,50`, `12,5`."""
    for digits in re.findall(numbers.DIGITS, text[:MAX_CHARACTERS]):
        signs = re.findall(r"[.,]", digits)
        decided = len(signs) > 1 and signs[-1] != signs[0]
        if decided or (len(signs) == 1 and len(numbers.readings(digits)) == 1):
            return str(signs[-1])
    return None


def _amount(text: str, match: re.Match[str], context: Context) -> Amount:
    grouped = match["spaced"] is not None
    digits = re.sub(rf"[{_SPACES}]", "", match["spaced"] or match["digits"] or "")
    values = _readings(digits, context, grouped=grouped) if digits else (Decimal(0),)
    if match["fraction"]:
        values = tuple(value + Decimal(_FRACTIONS[match["fraction"]]) for value in values)
    if match["sign"] in ("-", "−"):
        values = tuple(-value for value in values)
    return _scaled(text, Amount(match.start(), match.end(), values), context)


def _readings(digits: str, context: Context, *, grouped: bool) -> tuple[Decimal, ...]:
    """The values of digits; one where spaces that part groups, or other values, decide the sign."""
    values = numbers.readings(digits, context.language)
    lone = _LONE.fullmatch(digits)
    if len(values) < 2 or lone is None:
        return values
    if grouped or context.decimal == lone[1]:
        return (min(values),)
    return (max(values),) if context.decimal else values


def _scaled(text: str, amount: Amount, context: Context) -> Amount:
    scale = _SCALE.match(text, amount.end)
    if scale is None or scale["word"] in _NO_SCALE:
        return amount
    power = numbers.power(scale["word"], context.language)
    if power is None:
        return amount
    values = tuple(value.scaleb(power) for value in amount.values)
    return Amount(amount.start, scale.end(), values)


def in_words(text: str, language: str | None) -> tuple[Decimal, ...]:
    """Numbers that are written in words: "four"."""
    written = numbers.in_words(text[:MAX_CHARACTERS], language)
    return tuple(number.values[0].value for number in written if number.values)
