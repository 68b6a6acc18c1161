"""Prices: a number that touches a currency, or a slice that is a number and nothing else."""

import re
from decimal import Decimal

from app.engine.extraction.values.amounts import (
    MAX_CHARACTERS,
    amounts,
    in_range,
    is_not_asked,
    only,
)
from app.engine.extraction.values.currencies import SIGN, has_three_decimals, iso, signs
from app.engine.extraction.values.typed import Context
from app.engine.text.numbers import Number

_CODE_BEFORE = re.compile(rf"(?:{SIGN.pattern})(?=\d)")
_BEFORE = re.compile(r"[ \u00a0\u202f]?")
_AFTER = re.compile(r"(?:[.,]?[-–—]{1,2})?[ \u00a0\u202f]?")
_ENDING = re.compile(r"[.,][-–—]{1,2}$")
_SHORT = re.compile(r"(?:[kmbtl]| ?cr)(?!\w)", re.IGNORECASE)  # $1.2M, ₹1.2 Cr
_LONGEST_BARE, _LONGEST_COUNT, _LONGEST_PRICE = 40, 80, 200  # texts of an amount
_FIGURE = re.compile(r"(?<![^\W\d_])\d")
_MORE = re.compile(r"\d\S*[,;] +[^\W\d_]|\d\D*[^\W\d_]{4}\D*\d")
_MINUS = re.compile(r"(?<![\w.,])[-−]$")

Priced = tuple[Decimal, str | None, bool]
"""The amount, its currency (ISO 4217) where that is known, and whether it is in doubt."""


def price(
    text: str, wanted: str | None, context: Context, *, former: bool = False
) -> Priced | None:
    """The price a slice states; None when it states none, or one in another currency than wanted.
    Unless a `former` one is asked for, that counts only where there is no other.

    `from £10 to £20` is in doubt, and so is `$1.234` where nothing says what the point means.
    """
    if len(text) > MAX_CHARACTERS:
        return None
    text = _CODE_BEFORE.sub(lambda match: f"{match[0]} ", text)
    found = amounts(text, context)
    if not former:
        found = [each for each in found if not is_not_asked(text, each.start)] or found
    stated = [_stated(amount, text, context) for amount in found]
    priced = [(value, code, doubt) for value, code, doubt in filter(None, stated)]
    if not priced:
        return None if signs(text) else _bare(text, wanted, context)
    value, code, doubt = priced[0]
    if wanted and code and wanted != code:
        return None
    several = len({number for number, _, _ in priced}) > 1
    in_brackets = text.lstrip().startswith("(") and text.rstrip().endswith(")")  # less than nothing
    return value, code or wanted, doubt or several or in_brackets


def may_be_amount(text: str) -> bool:
    """True of a text that may be what is asked or paid for something: a few words ("on request"),
    more of them with a figure, a line with a currency. A paragraph is none."""
    if len(text) <= _LONGEST_BARE:
        return True
    has_figure = len(text) <= _LONGEST_PRICE and bool(_FIGURE.search(text))
    return has_figure and (len(text) <= _LONGEST_COUNT or bool(signs(text)))


def says_more(text: str) -> bool:
    """True of an amount with more behind it than what it is for: `£20, payable within 30 days`."""
    return bool(_MORE.search(text))


def codes(text: str, context: Context) -> set[str]:
    """The currencies that a slice names."""
    return {code for match in signs(text[:MAX_CHARACTERS]) if (code := iso(match[0], context))}


def _stated(amount: Number, text: str, context: Context) -> Priced | None:
    """The amount with the currency that it touches."""
    for sign in signs(text):
        before = _BEFORE.fullmatch(text, sign.end(), amount.start)
        after = _AFTER.fullmatch(text, amount.end, sign.start())
        if (before or after) and amount.values:
            code = iso(sign[0], context)
            value, doubt = _likeliest(amount, code, context)
            start, end = min(amount.start, sign.start()), max(amount.end, sign.end())
            doubt = doubt or in_range(text, start, end) or bool(_SHORT.match(text, amount.end))
            if before and _MINUS.search(text, 0, sign.start()):
                value = -value
            return value, code, doubt
    return None


def _likeliest(amount: Number, code: str | None, context: Context) -> tuple[Decimal, bool]:
    """Three digits after a lone separator are a group, unless the language has it otherwise."""
    values = amount.decimals
    if len(values) == 1:
        return values[0], False
    if has_three_decimals(code):
        return min(values, key=abs), True
    grouped = max(values, key=abs)
    return grouped, not context.language or values[0] != grouped


def _bare(text: str, wanted: str | None, context: Context) -> Priced | None:
    amount = only(_ENDING.sub("", text.strip()), context)
    if amount is None or not amount.values:
        return None
    value, doubt = _likeliest(amount, wanted, context)
    return value, wanted, doubt
