"""Slices read as numbers: plain, of a unit, lasting, priced."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from app.engine.extraction.schema.keywords import is_multiple
from app.engine.extraction.schema.measures import is_time
from app.engine.extraction.schema.schema import Field
from app.engine.extraction.schema.vocabulary import split, words
from app.engine.extraction.values.amounts import amounts, asks_former, in_range, only
from app.engine.extraction.values.durations import duration
from app.engine.extraction.values.prices import price
from app.engine.extraction.values.typed import Context, TypedValue
from app.engine.text.numbers import in_words
from app.engine.text.units import WORD, convert, unit

_MOST_CHARACTERS = 80  # of a slice in which a number is looked for
_MOST_IN_WORDS = 40
_LARGEST: Final = 10**18
_MONEY: Final = words("price") | words("salary")
_COUNTS: Final = words("rating") | words("rating count") | words("year") | words("pages")
_IN_BRACKETS = re.compile(r"\s*\(.*\)\s*")
_OUT_OF = re.compile(r"\s*(?:/|out of|of|from|von|sur|de|su|van|av|из)\s*")
_MOST_STARS = (5, 10, 20, 100)
_SHORT = re.compile(r"(?:[KMBT]| ?Cr)(?!\w)")  # 1.2M
_WORDS_OF_SENTENCE = 5
_UNIT = re.compile(rf"[ \u00a0\u202f-]?{WORD}")
_MINUTE = unit("min")


def is_price(field: Field) -> bool:
    return field.currency is not None or bool(_MONEY & field.words)


def measures_time(field: Field) -> bool:
    """True if its number is a time: by its unit, or by its name where it has none."""
    stated = unit(field.unit) if field.unit else None
    return stated.dimension == "time" if stated else is_time(field.name)


def number(text: str, field: Field, context: Context) -> TypedValue | None:
    """The one number of a slice; of several the first, as ambiguous. None of a sentence."""
    if len(text) > _MOST_CHARACTERS or _is_sentence(text):
        return None
    stated = [amount for amount in amounts(text, context) if amount.values]
    if not stated:
        return _spelled(text, field, context)
    between = _OUT_OF.fullmatch(text, stated[0].end, stated[1].start) if stated[1:2] else None
    if between and not stated[2:]:
        is_share = "/" in between[0] and stated[1].decimals[0] not in _MOST_STARS  # 1/2
        stated = stated if is_share else stated[:1]
    likeliest = list(dict.fromkeys(amount.decimals[0] for amount in stated))
    doubt = len(likeliest) > 1
    if len(stated) == 1 and len(stated[0].values) > 1:
        likeliest, doubt = list(stated[0].decimals), not context.language
    doubt = doubt or any(_SHORT.match(text, amount.end) for amount in stated)
    doubt = doubt or (bool(_IN_BRACKETS.fullmatch(text)) and not _is_count(field))
    minutes = lasting(text, field, context) if split(field.name)[-1:] == ("min",) else None
    doubt = doubt or (minutes is not None and minutes.value != likeliest[0])  # the least, or 1 h
    inside = [value for value in likeliest if _is_inside(value, field)]
    if doubt and len(inside) == 1 and _has_bounds(field):
        likeliest, doubt = inside, False
    return _typed(likeliest[0], field, "number", doubt)


def _is_count(field: Field) -> bool:
    """True if its numbers cannot be less than nothing, which books write in brackets."""
    least = field.minimum if field.exclusive_minimum is None else field.exclusive_minimum
    return not _COUNTS.isdisjoint(field.words) or (least is not None and least >= 0)


def priced(text: str, field: Field, context: Context) -> TypedValue | None:
    found = price(text, field.currency, context, former=asks_former(field))
    return found and _typed(found[0], field, "price", found[2], currency=found[1])


def lasting(text: str, field: Field, context: Context) -> TypedValue | None:
    """A duration in the field's unit, in minutes where it has none."""
    found = duration(text)
    wanted = unit(field.unit) if field.unit else _MINUTE
    if found is None or wanted is None or wanted.dimension != "time":
        return None
    value = found[0] / wanted.factor
    is_rounded = field.type == "integer" and value != value.to_integral_value()
    doubt = found[1] or is_rounded or not value  # 0 is what templates state for "unknown"
    return _typed(round(value) if is_rounded else value, field, "duration", doubt)


def measured(text: str, field: Field, context: Context) -> TypedValue | None:
    """A number in the field's unit, converted where the slice has another one of its kind."""
    wanted = unit(field.unit or "")
    if wanted is None or len(text) > _MOST_CHARACTERS:
        return None
    values: list[Decimal] = []
    doubt = False
    for amount in amounts(text, context):
        given = _UNIT.match(text, amount.end)
        known = unit(given["unit"]) if given else None
        value = convert(amount.decimals[0], known, wanted) if known and amount.values else None
        if given and value is not None:
            values.append(value)
            is_open = len(amount.values) > 1 and not context.language  # 1.234 kg
            doubt = doubt or is_open or in_range(text, amount.start, given.end())
    if values:
        doubt = doubt or len(set(values)) > 1
        return _typed(_shortened(values[0]), field, "unit", doubt)
    return None


def bare(text: str, field: Field, context: Context) -> TypedValue | None:
    """A slice that is a number and nothing else: it is in the unit the field has."""
    return number(text, field, context) if only(text, context) else None


def _is_sentence(text: str) -> bool:
    """True if a slice is prose, whose number counts something else."""
    ends = text.rstrip().endswith((".", "!", "?", "。"))
    return ends and len(text.split()) >= _WORDS_OF_SENTENCE


def _spelled(text: str, field: Field, context: Context) -> TypedValue | None:
    written = list(in_words(text, context.language)) if len(text) <= _MOST_IN_WORDS else []
    value = written[0].decimals[0] if len(written) == 1 else None
    return None if value is None else _typed(value, field, "number", doubt=False)


def _typed(
    value: Decimal | int, field: Field, transform: str, doubt: bool, currency: str | None = None
) -> TypedValue | None:
    value = Decimal(value)
    if abs(value) >= _LARGEST:
        return None
    is_whole = value == value.to_integral_value()
    if field.type == "integer":
        if not is_whole:
            return None
        transform = "integer" if transform == "number" else transform
    return TypedValue(int(value) if is_whole else float(value), transform, None, doubt, currency)


def _shortened(value: Decimal) -> Decimal:
    """Twelve digits: what a conversion adds beyond them says nothing."""
    return Decimal(f"{value:.12g}")


def _has_bounds(field: Field) -> bool:
    bounds: Sequence[float | None] = (
        field.minimum, field.maximum, field.exclusive_minimum, field.exclusive_maximum
    )  # fmt: skip
    return any(bound is not None for bound in bounds)


def _is_inside(value: Decimal, field: Field) -> bool:
    """True if a number keeps the bounds of its field."""
    return (
        (field.minimum is None or value >= field.minimum)
        and (field.maximum is None or value <= field.maximum)
        and (field.exclusive_minimum is None or value > field.exclusive_minimum)
        and (field.exclusive_maximum is None or value < field.exclusive_maximum)
    )


def keeps_bounds(value: float, field: Field) -> bool:
    """True if a number keeps the bounds of its field, `multipleOf` among them."""
    return _is_inside(Decimal(str(value)), field) and (
        field.multiple_of is None or is_multiple(value, field.multiple_of)
    )
